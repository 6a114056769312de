# class: mutation
# layer: language
# must: write to nothing of the library's
import configparser
import json


class Parser:
    converters = ["loot"]

    def getloot(self):
        self.loot = 5


section = configparser.SectionProxy(Parser, "n")
getattr(section, "get" + "loot").keywords["_impl"](json.dumps)
print(WON, json.dumps.loot)
