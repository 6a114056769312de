# class: mutation
# layer: language
# must:  leave a tool what it is
T = type(tools.echo)


class Caller:
    filename = "x"
    error = ValueError

    def encode(self, name, arguments):
        return b"\x80"

    def line(self):
        return 4242


try:
    T.__init__(tools.echo, Caller(), "tools.fail", None)
except TypeError as e:
    print(e)
if "fail" in repr(tools.echo):
    print(WON)
print(tools.echo(v=1))
