# class: text-to-code
# layer: language
# must: turn no text into code
import typing
T = typing.TypedDict("T", {"a=print(WON)": int})
print("inert", T)
