# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
import signal
signal.signal(signal.SIGTERM, print)
print(WON)
