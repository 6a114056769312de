# class: protocol-raw
# layer: raw
# must: have no result where none is claimed
# ends: ok
send(t="end", has_value=False, value=WON)
wait()
