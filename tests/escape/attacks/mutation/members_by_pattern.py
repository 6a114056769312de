# class: mutation
# layer: language
# must: write to nothing of the library's
import abc
import http
import re


class P(abc.ABC):
    __match_args__ = ("_member_map_", "_value2member_map_", "_member_names_")

    @classmethod
    def __subclasshook__(cls, other):
        return True


match http.HTTPStatus.OK:
    case P(names, values, listed):
        print(type(names), len(names))
        values[299] = http.HTTPStatus.NOT_FOUND
        names["LOOT"] = print
print(http.HTTPStatus(299), http.HTTPStatus["LOOT"])
match re.I:
    case P(names, values, listed):
        print(names)
        listed.clear()
print(list(re.RegexFlag))
print(WON)
