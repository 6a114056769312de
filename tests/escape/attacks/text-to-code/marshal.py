# class: text-to-code
# layer: language
# must: turn no text into code
import marshal
print(WON, marshal.loads(b"i\x01\0\0\0"))
