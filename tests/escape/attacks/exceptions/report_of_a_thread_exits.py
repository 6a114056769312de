# class: exceptions
# layer: language
# must: go on after a thread, whatever the stream does that hears of it
# ends: exception
import sys, threading
class Stream:
    def write(self, text):
        raise SystemExit(0)
    def flush(self):
        pass
sys.stderr = Stream()
thread = threading.Thread(target=lambda: 1 / 0)
thread.start()
thread.join()
raise ValueError("the program goes on")
