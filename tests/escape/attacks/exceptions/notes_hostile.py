# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
class N:
    def __str__(self):
        return "note" * 10**7


e = ValueError(1)
e.__notes__ = [N()] * 100
raise e
