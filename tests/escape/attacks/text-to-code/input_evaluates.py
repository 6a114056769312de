# class: text-to-code
# layer: language
# must: turn no text into code
print(WON, input("x"))
