# class: imports
# layer: language
# must: give no module but the open views
import subprocess
print(WON, subprocess.run)
