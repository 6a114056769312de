# class: text-to-code
# layer: language
# must: turn no text into code
print(WON, [exec, 1][0]("x = 1"))
