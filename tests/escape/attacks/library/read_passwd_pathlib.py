# class: library
# layer: language
# must: give nothing of the host
import pathlib

print(WON, pathlib.Path("/etc/passwd").read_text())
