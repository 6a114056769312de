# class: classes
# layer: language
# must:  make no class past the policy
import enum
import random
import weakref


class Member(enum.Enum):
    a = 1


class Told:
    def __eq__(self, other):
        print(WON, other)
        return True


for method in ("_get_mixins_", "_find_data_type_", "_check_for_existing_members_", "_find_new_"):
    try:
        found = getattr(Member, method)
        print(WON, weakref.ref.__call__(weakref.WeakMethod(found)))
    except Exception as e:
        print(e)
for method in (random.randint, random.random):
    for give in (
        lambda: weakref.ref.__call__(weakref.WeakMethod(method)),
        lambda: weakref.ref.__eq__(weakref.WeakMethod(method), weakref.ref(Told())),
    ):
        try:
            print(WON, give())
        except Exception as e:
            print(e)
