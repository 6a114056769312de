# class: mutation
# layer: language
# must:  name no member of the library's anew
import enum
import http


class F(enum.Flag):
    A = 1
    B = 2


class Own:
    def __new__(cls, *_):
        return http.HTTPStatus.OK


for name in ("_member_type_", "_use_args_", "_value_repr_"):
    try:
        setattr(F, name, Own)
    except AttributeError as e:
        print(e)
try:
    print(F(3))
except TypeError as e:
    print(e)
if http.HTTPStatus.OK.name != "OK":
    print(WON)
