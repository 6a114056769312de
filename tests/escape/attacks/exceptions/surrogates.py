# class: exceptions
# layer: language
# must: show no frame, no host path and no endless text
raise ValueError("\udc80\ud800 \0 \u2028 \x9b31m")
