# class: text-to-code
# layer: language
# must: turn no text into code
import dataclasses
@dataclasses.dataclass
class A:
    x: "print(WON)" = 1
    y: "typing.ClassVar[print(WON)]" = 2
print("inert", A())
