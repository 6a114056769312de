# class: bridge-descriptor
# layer: os
# must: be answered EPERM or end the guest
probe("epoll_create1", 0)
