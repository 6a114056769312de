# class: frames
# layer: language
# must: be refused
import sys
print(WON, sys._getframe(0))
