# class: artifacts
# layer: raw
# must: hand over no file that was not asked for
# ends: ok violation
send(t="artifact", path="../../owned", data=b"x")
send(t="end", has_value=False, value=None)
wait()
