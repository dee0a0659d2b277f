"""Version of the library."""

VERSION = "0.1.0"
