# class: memory
# layer: os
# must: be answered EPERM or end the guest
import gc

text = "CODEMODE_" + "CANARY"
found = [one for one in gc.get_objects() if isinstance(one, dict) and text in map(str, one)]
print(
    WON if any("value" in str(one.get(text)) for one in found if one is not globals()) else "inert"
)
