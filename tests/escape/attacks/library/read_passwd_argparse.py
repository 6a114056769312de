# class: library
# layer: language
# must: give nothing of the host
import argparse

p = argparse.ArgumentParser(fromfile_prefix_chars="@")
p.add_argument("x", nargs="*")
print(WON, p.parse_args(["@/etc/passwd"]))
