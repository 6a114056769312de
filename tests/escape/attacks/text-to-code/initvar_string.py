# class: text-to-code
# layer: language
# must: turn no text into code
import dataclasses
@dataclasses.dataclass
class A:
    x: "dataclasses.InitVar[print(WON)]" = 1
print("inert", A())
