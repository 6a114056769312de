# class: processes
# layer: os
# must: be answered EPERM or end the guest
import _thread

print(WON, _thread.start_new_thread(print, (WON,)))
