# class: names
# layer: language
# must: bind or read no name of the policy
(_getattr_ := lambda o, n: WON)
print(getattr((lambda: 0), "__globals__"))
