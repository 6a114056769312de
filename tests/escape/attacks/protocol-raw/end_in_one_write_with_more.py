# class: protocol-raw
# layer: raw
# must: hear nothing after the end
# ends: ok
one = frame(pack({"t": "end", "has_value": True, "value": 1}))
two = frame(pack({"t": "out", "stream": "stdout", "text": WON}))
write(one + two + two)
wait()
