# class: names
# layer: language
# must: bind or read no name of the policy
match [1, 2]:
    case [_, *__builtins__]:
        print(WON)
