# class: library
# layer: language
# must: give nothing of the host
import contextlib, io

with contextlib.redirect_stdout(io.StringIO()) as o:
    print("caught")
print("inert")
