# class: attributes
# layer: language
# must: hand out nothing of the policy
for f in (getattr, hasattr, setattr, vars, dir, print, open, input, exit, help):
    for name in ("__defaults__", "__kwdefaults__", "__closure__", "__annotations__", "__module__"):
        found = getattr(f, name, None)
        items = found.values() if isinstance(found, dict) else found or ()
        if any(type(item).__name__ in ("module", "cell") for item in items):
            print(WON, f, name, found)
