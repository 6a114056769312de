# class: names
# layer: language
# must: bind or read no name of the policy
def __build_class__(*a):
    return WON


class A:
    pass


print(A)
