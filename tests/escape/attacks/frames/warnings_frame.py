# class: frames
# layer: language
# must: never reach a frame
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("x")
print(WON, caught[0].source.f_globals)
