# class: mutation
# layer: language
# must: write to nothing of the library's
import json
import urllib.error


class File:
    def getloot(self):
        self.loot = 5


error = urllib.error.HTTPError("", 200, "", {}, File)
getattr(error, "get" + "loot")(json.dumps)
print(WON, json.dumps.loot)
