# class: text-to-code
# layer: language
# must: turn no text into code
import logging.config
logging.config.dictConfig({"version": 1, "handlers": {"h": {"()": "os.system"}}})
print(WON)
