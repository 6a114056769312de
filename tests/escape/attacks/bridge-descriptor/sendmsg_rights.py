# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
import struct

iov = ctypes.create_string_buffer(16)
probe("sendmsg", 3, ctypes.create_string_buffer(56), 0)
