# class: text-to-code
# layer: language
# must: turn no text into code
help("modules")
print("inert")
