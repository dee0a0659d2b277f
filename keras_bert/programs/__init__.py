"""The parts that only the command line and its pages need."""
