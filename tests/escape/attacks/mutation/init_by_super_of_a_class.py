# class: mutation
# layer: language
# must:  make nothing of the library's anew
import fractions
import uuid


class A(uuid.UUID):
    @classmethod
    def get(cls):
        super().__init__(uuid.NAMESPACE_DNS, int=5)

    def of(self):
        super().__init__(uuid.NAMESPACE_DNS, int=5)


ways = [
    lambda: A.get(),
    lambda: A.of(A),
    lambda: super(A, A).__init__(uuid.NAMESPACE_DNS, int=5),
    lambda: uuid.UUID.hex.__init__(lambda _: "mine"),
    lambda: property.__init__(uuid.UUID.hex, lambda _: "mine"),
    lambda: type(fractions.Fraction.numerator).__init__(uuid.UUID.hex, lambda _: "mine"),
]
for way in ways:
    try:
        way()
    except (AttributeError, TypeError) as e:
        print(e)
if uuid.NAMESPACE_DNS.int == 5 or uuid.NAMESPACE_DNS.hex == "mine":
    print(WON)
