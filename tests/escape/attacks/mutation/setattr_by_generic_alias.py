# class: mutation
# layer: language
# must:  write to no object of the library or of the guest
import logging
import typing


class Me:
    pass


me = Me()
vars(me)["__origin__"] = logging.root.manager
kind = type(typing.List[int])
kind.__setattr__(me, "disable", 50)
print(WON, logging.root.manager.disable)
