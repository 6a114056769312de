# class: mutation
# layer: language
# must: write to nothing of the library's
import logging, json
logging.LoggerAdapter(json.dumps, {}).manager = 'set'
print(json.dumps.manager)
logging.LoggerAdapter(getattr, {}).manager = 'set'
print(getattr.manager)
print(WON)
