# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("mount_setattr", -100, b"/", 0, ctypes.create_string_buffer(32), 32)
