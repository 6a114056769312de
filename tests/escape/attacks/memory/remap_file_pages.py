# class: memory
# layer: os
# must: be answered EPERM or end the guest
probe("remap_file_pages", 0, 4096, 0, 0, 0)
