# class: names
# layer: language
# must: bind or read no name of the policy
print(WON, __buıltins__)
