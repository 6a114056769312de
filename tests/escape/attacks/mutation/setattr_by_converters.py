# class: mutation
# layer: language
# must:  write to no object of the library or of the guest
import configparser
import os

kind = type(configparser.ConfigParser().converters)


class Parser:
    def values(self):
        return [os.environ]

    def _get_conv(self, *args, **kwargs):
        return 1


converters = kind(Parser())
converters["planted"] = int
print(WON, os.environ.getplanted)
