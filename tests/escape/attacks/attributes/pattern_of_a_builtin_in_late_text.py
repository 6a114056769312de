# class: attributes
# layer: language
# must:  read nothing by position
import abc
import doctest
import http


class Evil(abc.ABC):
    __match_args__ = ("_member_map_",)

    @classmethod
    def __subclasshook__(cls, _):
        return True


def f():
    """
    >>> match http.HTTPStatus:
    ...     case str(x): x.clear()
    """


doctest.run_docstring_examples(f, {"str": Evil, "http": http})
if not http.HTTPStatus.__members__:
    print(WON)
