# class: classes
# layer: language
# must:  have no slot of a special name
class Told:
    def __eq__(self, other):
        other["__del__"] = other["__init_subclass__"] = ""
        return True


try:

    class Own:
        __slots__ = slots = {"a": "it"}
        slots == Told()

    if "__del__" in vars(Own) or "__del__" in Own.__slots__:
        print(WON, Own.__slots__)
except Exception as e:
    print(e)
