# class: library
# layer: language
# must: give nothing of the host
import zoneinfo

print(WON, zoneinfo.ZoneInfo("../../../etc/passwd"))
