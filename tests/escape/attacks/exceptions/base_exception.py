# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
class B(BaseException):
    pass


raise B("x")
