# class: text-to-code
# layer: language
# must: turn no text into code
import timeit
print(WON, timeit.Timer("1").timeit(1))
