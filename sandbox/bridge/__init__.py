"""The protocol between host and guest, without any I/O. See docs/bridge.md."""
