# class: frames
# layer: language
# must: be refused
import traceback
try:
    1 / 0
except ZeroDivisionError as e:
    print(WON, list(traceback.walk_tb(e.__traceback__)))
