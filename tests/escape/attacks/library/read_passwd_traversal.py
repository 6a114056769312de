# class: library
# layer: language
# must: give nothing of the host
import pathlib

print(WON, (pathlib.Path("/tmp") / ".." / "etc" / "passwd").read_text())
