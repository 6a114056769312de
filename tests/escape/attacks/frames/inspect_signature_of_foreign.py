# class: frames
# layer: language
# must: give no default of a library function that is not plain data
import codecs, copy, difflib, functools, inspect, json, logging
def own(): pass
targets = [logging.Logger.makeRecord, json.JSONEncoder.iterencode, functools.lru_cache, functools.wraps, difflib.ndiff, copy.deepcopy, codecs.lookup("utf-8").streamreader]
for target in targets:
    for asked in (target, functools.wraps(target)(lambda: 0), functools.partial(target)):
        try:
            found = inspect.Signature.from_callable(asked).parameters.values()
        except Exception:
            continue
        for p in found:
            if p.default is not p.empty and (isinstance(p.default, list) or callable(p.default)):
                print(WON, p.default)
