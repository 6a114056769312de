# class: processes
# layer: os
# must: be answered EPERM or end the guest
probe("pidfd_send_signal", 3, 9, 0, 0)
