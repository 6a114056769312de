# class: library
# layer: language
# must: give nothing of the scheduler to an heir of an executor
import concurrent.futures as cf
class P(cf.ThreadPoolExecutor):
    def look(self): return self._workers
with P() as p:
    p.submit(abs, 1).result()
    print(p.look(), WON)
