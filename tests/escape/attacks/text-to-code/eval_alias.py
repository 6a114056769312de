# class: text-to-code
# layer: language
# must: turn no text into code
run = eval
print(WON, run("1"))
