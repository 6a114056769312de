# class: classes
# layer: language
# must: be refused
import typing
class A:
    x: "__import__('os').system('true')"
print(WON, typing.get_type_hints(A))
