# class: text-to-code
# layer: language
# must: turn no text into code
import codeop
print(WON, codeop.compile_command("1"))
