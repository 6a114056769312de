# class: processes
# layer: os
# must: be answered EPERM or end the guest
import os

probe(62, 0, 0)
