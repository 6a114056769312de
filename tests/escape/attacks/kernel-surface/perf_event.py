# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("perf_event_open", 0, 0, -1, -1, 0)
