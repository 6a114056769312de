# class: library
# layer: language
# must: give nothing of the host
import threading

t = threading.Thread(target=lambda: print("strand"))
t.start()
t.join()
print(WON if t.native_id not in (None,) and t.native_id > 10**6 else "inert")
