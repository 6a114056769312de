# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash
class A:
    def __getattr__(self, name):
        return getattr(self, name)
A().x
