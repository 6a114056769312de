# class: text-to-code
# layer: language
# must: turn no text into code
import operator
print(WON, operator.call(eval, "1"))
