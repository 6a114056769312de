# class: imports
# layer: language
# must: give no module but the open views
from codemode.sandbox.guest.scheduler import SCHEDULER
print(WON, SCHEDULER.port)
