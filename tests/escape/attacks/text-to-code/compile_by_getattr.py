# class: text-to-code
# layer: language
# must: turn no text into code
import builtins as b
print(WON, b.compile)
