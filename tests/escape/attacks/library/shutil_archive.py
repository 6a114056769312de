# class: library
# layer: language
# must: give nothing of the host
import shutil

shutil.register_archive_format("x", lambda *a, **k: print(WON, a, k))
shutil.make_archive("a", "x")
