# class: formatting
# layer: language
# must: be refused
class S(str):
    def go(self, *a):
        return super().format(*a)
print(WON, S("{0.gi_frame}").go(i for i in [1]))
