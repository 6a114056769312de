# class: mutation
# layer: language
# must: write nothing to a class of the library
# ends: exception
import abc, json
class A(abc.ABC):
    def __subclasshook__(self):
        self.evil = 7
        return True
print(issubclass(json.JSONEncoder, A))
print(WON, json.JSONEncoder.evil)
