# class: attributes
# layer: language
# must:  give no function of the library's unbound
import argparse
import warnings


class Heir(argparse.Namespace):
    pass


class Loot:
    @property
    def area(self):
        return self._get_kwargs


function = Loot.area.__get__(Heir, Loot)
print(WON, function(warnings.catch_warnings()))
