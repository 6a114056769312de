# class: network
# layer: os
# must: be answered EPERM or end the guest
import socket

print(WON, socket.create_connection(("127.0.0.1", 22), 1))
