# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("recvmsg", 3, ctypes.create_string_buffer(56), 0)
