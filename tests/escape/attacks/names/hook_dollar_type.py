# class: names
# layer: language
# must: bind or read no name of the policy
print(WON, type("$own", (), {}).__base__.__subclasses__())
