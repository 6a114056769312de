# class: mutation
# layer: language
# must: write nothing to a class of the library
# ends: exception
import contextlib
import json


class A:
    def __enter__(self):
        pass

    def __exit__(self, v):
        self.name = v


got = []


class S(contextlib.ExitStack):
    def _push_cm_exit(self, cm, cm_exit):
        got.append(cm_exit)


S().enter_context(A())
got[0](json.JSONEncoder, 7)
print(WON, json.JSONEncoder.name)
