# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
raise KeyboardInterrupt
