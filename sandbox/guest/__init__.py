"""What runs in a guest: the console, the bindings, the event loop, and the program itself."""
