# class: text-to-code
# layer: language
# must: turn no text into code
import functools, inspect
class F:
    def __call__(self, x): pass
def ask(text):
    f = F()
    vars(f)['__text_signature__'] = text
    return inspect.signature(functools.lru_cache(f), follow_wrapped=False)
print(ask("(a=sys.prefix)"))
try:
    ask("(a=sys.modules.nosuch)")
except AttributeError as e:
    m = e.obj
    print(type(m), m['builtins'].eval, m['builtins'].eval("().__class__.__base__.__subclasses__()[:2]", {}))
print(WON)
