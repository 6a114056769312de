# class: text-to-code
# layer: language
# must: turn no text into code
import code
code.interact()
print(WON)
