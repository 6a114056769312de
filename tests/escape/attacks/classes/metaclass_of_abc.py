# class: classes
# layer: language
# must: not make a class unchecked
import abc
made = abc.ABCMeta("X", (), {"__init_subclass__": classmethod(lambda cls: print(WON))})
class Y(made):
    pass
