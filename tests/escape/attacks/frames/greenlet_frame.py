# class: frames
# layer: language
# must: be refused
import greenlet
print(WON, greenlet.getcurrent().gr_frame)
