"""The fork server: a warm single-threaded process that forks jailed guests, and its client."""
