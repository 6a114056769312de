# class: names
# layer: language
# must: bind or read no name of the policy
def f(**k):
    return k


print(f(**{"$load": WON}) and "inert")
print(WON if "$load" in dir() else "inert")
