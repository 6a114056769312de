# class: processes
# layer: os
# must: be answered EPERM or end the guest
import os

probe("kill", 0, 0)
