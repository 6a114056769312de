# class: names
# layer: language
# must: bind or read no name of the policy
match {"a": 1}:
    case {"a": __builtins__}:
        print(WON)
