# class: text-to-code
# layer: language
# must: turn no text into code
f = lambda: 0
print(WON, f.__code__.replace(co_consts=(1,)))
