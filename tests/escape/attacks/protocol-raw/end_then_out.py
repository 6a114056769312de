# class: protocol-raw
# layer: raw
# must: hear nothing after the end
# ends: ok
send(t="end", has_value=False, value=None)
send(t="out", stream="stdout", text=WON)
wait()
