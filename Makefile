# make demo    sets up and runs the main job, from plain text to served BERT
# make test    sets up and runs the tests
# make test-fast   runs those that train nothing, for the loop of work
# make test-beam   sets up and runs the tests of the Beam pipelines
# make test-parity sets up and compares trained weights with transformers
# make docs    sets up and makes the site, in docs/_build/html
# make lint    checks style; make format repairs it
#
# PYTHON=...   the interpreter to build the virtual environment with
# INPUT=...    text files for the demo: a path or a quoted glob
# WORKERS=...  processes that run tests; each takes some 2 GB
# OUTPUT=...   where the demo goes; only demo-output is made anew

VENV ?= .venv
PYTHON ?=
INPUT ?=
WORKERS ?= 2
OUTPUT ?= demo-output
OVERWRITE = $(if $(filter demo-output,$(OUTPUT)),--overwrite)

# What neither trains nor starts programs.
FAST = $(wildcard tests/config_test.py tests/f*_test.py tests/imports_test.py \
    tests/outputs_test.py tests/template_test.py tests/docstrings_test.py) \
    tests/text tests/layers tests/data/corpus tests/data/examples \
    tests/data/records tests/checkpoints/arrays

.PHONY: demo test test-fast test-beam test-parity docs lint format clean

demo: $(VENV)/.installed-demo
	$(VENV)/bin/python tools/demo.py --output_dir="$(OUTPUT)" \
	    --input_file="$(INPUT)" $(OVERWRITE)

test: $(VENV)/.installed-test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/python -m pytest -n $(WORKERS) --dist loadfile

test-fast: $(VENV)/.installed-test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/python -m pytest -n $(WORKERS) --dist loadfile \
	    -m "not large and not parity" $(FAST)

# Apache Beam holds back packages that the others have newer.
test-beam:
	$(MAKE) $(VENV)-beam/.installed-test,beam VENV=$(VENV)-beam
	$(VENV)-beam/bin/python -m pytest tests/data/build/beam tests/export/beam \
	    tests/tools/create_pretraining_data_beam_test.py

# An unpinned torch would bring gigabytes of CUDA packages.
test-parity: $(VENV)/bin/python
	$(VENV)/bin/python -m pip install --quiet torch==2.13.0
	$(MAKE) $(VENV)/.installed-test,parity
	$(VENV)/bin/python -m pytest -m parity

# Every warning is an error: broken links, pages that no menu reaches.
docs: $(VENV)/.installed-docs
	$(VENV)/bin/python -m sphinx -W --keep-going --nitpicky -q \
	    -c docs -d docs/_build/doctrees . docs/_build/html
	@echo "The site is docs/_build/html/index.html"

lint: $(VENV)/.installed-test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .

format: $(VENV)/.installed-test
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

clean:
	rm -rf $(VENV) $(VENV)-beam docs/_build docs/api

$(VENV)/.installed-%: setup.cfg pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/python -m pip install --quiet --editable ".[$*]"
	touch $@

$(VENV)/bin/python:
	python=$$(tools/find_python.sh $(PYTHON)) && "$$python" -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade pip
