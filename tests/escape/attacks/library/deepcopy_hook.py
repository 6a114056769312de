# class: library
# layer: language
# must: give nothing of the host
import copy


class A:
    def __deepcopy__(self, memo):
        return memo.__class__.__base__


print(WON, copy.deepcopy(A()))
