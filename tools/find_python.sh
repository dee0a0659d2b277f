#!/bin/sh
# Prints the Python to build the virtual environment with: the one that is
# named as argument, or the first of the usual names that is 3.11 to 3.13.
for python in ${1:-python3 python3.13 python3.12 python3.11}; do
    if "$python" -c 'import sys, venv
sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null; then
        echo "$python"
        exit 0
    fi
done
echo "Python 3.11, 3.12 or 3.13 (with venv) is needed, and" \
    "${1:-none of python3, python3.11 ... python3.13} is not one." \
    "Install it, or name it: make PYTHON=/path/to/python3.12" >&2
exit 1
