# class: protocol
# layer: protocol
# must: be cleaned
# clean: yes
# ends: ok
print("\x1b[2J\x1b[H\0\x9b31m\u202e\r")
