"""The jail: what the kernel holds a guest to. One file per mechanism, one ordered list of steps."""
