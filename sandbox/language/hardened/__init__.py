"""What stands in for functions of the standard library, by what those would do for a program."""
