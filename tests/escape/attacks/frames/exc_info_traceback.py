# class: frames
# layer: language
# must: never reach a frame
import sys
try:
    1 / 0
except ZeroDivisionError:
    print(WON, sys.exc_info()[2].tb_frame)
