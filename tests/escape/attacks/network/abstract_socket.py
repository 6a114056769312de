# class: network
# layer: os
# must: be answered EPERM or end the guest
import socket

s = socket.socket(socket.AF_UNIX)
s.connect("\0host")
print(WON)
