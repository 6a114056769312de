# class: names
# layer: language
# must: bind or read no name of the policy
class _builtins__:
    def f(self):
        return self.__x


class A:
    def f(self, o):
        return o.__caller


class Tool:
    def f(self, o):
        return o.__dict__


print(WON, Tool().f(tools.echo))
