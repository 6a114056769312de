# class: mutation
# layer: language
# must: write nothing to a class of the library
# ends: exception
import pprint, contextlib
pprint.PrettyPrinter.__init__(contextlib.redirect_stdout, stream="modules")
print(WON)
