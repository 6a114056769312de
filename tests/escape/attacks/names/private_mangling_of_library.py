# class: names
# layer: language
# must: bind or read no name of the policy
class Caller:
    def peek(self, o):
        return o._caller


print(WON, Caller().peek(tools.echo))
