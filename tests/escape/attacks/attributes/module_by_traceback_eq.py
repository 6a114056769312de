# class: attributes
# layer: language
# must: give no module
import traceback, warnings
got = []
class Spy:
    def __eq__(self, other):
        got.append(other)
        return True
class T(traceback.TracebackException):
    pass
shown = T.__new__(T)
for name in ("_record", "_module", "_entered", "_filter", "_context", "_showwarnmsg_impl"):
    setattr(shown, name, Spy())
caught = warnings.catch_warnings()
traceback.TracebackException.__eq__(caught, shown)
del shown._context, shown._showwarnmsg_impl
traceback.TracebackException.__eq__(caught, shown)
if got:
    print(WON, got)
