# class: resource
# layer: resource
# must: be ended by its own limit
# ends: exception stopped
raise SystemExit(3)
