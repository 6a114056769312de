# class: classes
# layer: language
# must: inherit from no class that is not open
import sys
class Bases(tuple):
    def __iter__(self): return iter(())
K = type("K", Bases((type(sys.stdout),)), {})
if issubclass(K, type(sys.stdout)): print(WON)
