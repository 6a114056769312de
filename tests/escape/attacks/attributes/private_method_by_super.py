# class: attributes
# layer: language
# must: give no module
# ends: exception
import argparse, warnings
class K(argparse.Namespace):
    pass
print(WON, super(K, K)._get_kwargs(warnings.catch_warnings()))
