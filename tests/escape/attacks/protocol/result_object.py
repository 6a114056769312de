# class: protocol
# layer: protocol
# must: be a clear error or have no effect
# ends: invalid_output
return object()
