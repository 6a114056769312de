# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception crash
class A:
    @property
    def x(self):
        return self.x
A().x
