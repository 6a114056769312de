# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
class G(ExceptionGroup):
    def derive(self, excs):
        print(WON, self.__traceback__)
        return self


G("x", [ValueError(1)]).split(ValueError)
