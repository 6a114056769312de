# class: mutation
# layer: language
# must: not change what the guards see
import abc


class Str(abc.ABC):
    pass


Str.register(str)
print(WON if getattr((lambda: 0), "__globals__", None) else "inert")
