# class: text-to-code
# layer: language
# must: turn no text into code
import timeit
print(WON, timeit.timeit("print(1)", number=1))
