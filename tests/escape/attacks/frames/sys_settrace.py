# class: frames
# layer: language
# must: be refused
import sys
sys.settrace(lambda frame, event, arg: print(WON, frame))
(lambda: 0)()
