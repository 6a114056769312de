# class: text-to-code
# layer: language
# must: turn no text into code
breakpoint()
print(WON)
