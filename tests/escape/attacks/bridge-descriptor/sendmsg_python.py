# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
import socket, array

s = socket.socket(fileno=3)
s.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [3]))])
print(WON)
