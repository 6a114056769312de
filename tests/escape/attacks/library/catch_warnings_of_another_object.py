# class: library
# layer: language
# must: give no module
# ends: exception
import warnings
got = []
class Me:
    def __setattr__(self, n, v): got.append((n, v))
warnings.catch_warnings.__init__(Me())
print(got)
print(WON, got[0][1] if len(got) else 1/0, [v for n, v in got if n == "_module"][0].sys)
