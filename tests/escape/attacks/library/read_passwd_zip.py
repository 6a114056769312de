# class: library
# layer: language
# must: give nothing of the host
import zipfile

z = zipfile.ZipFile("/tmp/x.zip", "w")
z.write("/etc/passwd")
print(WON)
