# class: imports
# layer: language
# must: give no module but the open views
from concurrent import futures
from concurrent.futures import process
print(WON, process)
