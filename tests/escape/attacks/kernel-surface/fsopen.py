# class: kernel-surface
# layer: os
# must: be answered EPERM or end the guest
probe("fsopen", b"tmpfs", 0)
