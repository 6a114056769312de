# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
try:
    tools.fail()
except ToolCallError as e:
    text = str(e) + repr(e.args) + repr(vars(e))
    print(WON if "CANARY" in text or "/srv" in text else "inert")
raise ValueError("end")
