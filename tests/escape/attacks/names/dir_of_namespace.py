# class: names
# layer: language
# must: bind or read no name of the policy
print(WON if any(name.startswith("$") for name in dir()) else "inert")
