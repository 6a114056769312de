# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
class E(Exception):
    def __str__(self):
        return str(self.__traceback__)


raise E
