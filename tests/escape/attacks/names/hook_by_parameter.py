# class: names
# layer: language
# must: bind or read no name of the policy
def f(_getattr_, _getitem_, _write_, _print_, _inplacevar_, _iter_unpack_sequence_, /):
    return (lambda: 0).__globals__


print(WON, f(*[lambda *a: a[0]] * 6))
