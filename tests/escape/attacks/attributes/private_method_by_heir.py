# class: attributes
# layer: language
# must: give no module
# ends: exception
import argparse, warnings
class K(argparse.Namespace):
    pass
print(WON, K._get_kwargs(warnings.catch_warnings()))
