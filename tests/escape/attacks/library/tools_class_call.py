# class: library
# layer: language
# must: give nothing of the host
class Fake:
    filename = "x"

    def encode(self, n, a):
        return b"\xc1" * 10

    def line(self):
        return 1


T = type(tools.echo)
print("forged", T(Fake(), "admin_secret", None)(v=1))
