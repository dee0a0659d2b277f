# make         prints this list
# make demo    sets up and runs the main job, from plain text to served BERT
# make playground   sets up and shows a model on a page: by default the demo's,
#                   or else the tiny one that comes with the library
# make test    sets up and runs the tests
# make test-fast   runs those that train nothing, for the loop of work
# make test-all    tries all there is, each target below in its own environment
# make test-exhaustive  runs what `make test` leaves out: each of many alike
# make test-environments  tries each extra of setup.cfg alone
# make test-lowest    tries the lowest version of each requirement
# make test-beam   sets up and runs the tests of the Beam pipelines
# make test-parity sets up and compares trained weights with transformers
# make test-playground   sets up and looks at that page in Chromium
# make docs    sets up, runs the tutorials and makes the site, docs/_build/html
# make lint    checks style and types; make format repairs style
#
# PYTHON=...   the interpreter to build the virtual environment with
# INPUT=...    text files for the demo: a path or a quoted glob
# WORKERS=...  processes that run tests; each takes some 2 GB
# TUTORIALS=off   makes the site without running the tutorials anew
# MODEL_DIR=...  what the playground shows, a directory or a name on the Hub
# LEFT_TO_RIGHT_DIR=...  a left-to-right model that it sets beside
# OUTPUT=...   where the demo goes; only demo-output is made anew

VENV ?= .venv
PYTHON ?=
INPUT ?=
WORKERS ?= 2
OUTPUT ?= demo-output
TUTORIALS ?= cache
MODEL_DIR ?= $(wildcard demo-output/bert)
LEFT_TO_RIGHT_DIR ?=
OVERWRITE = $(if $(filter demo-output,$(OUTPUT)),--overwrite)
# Files whole to a worker, in the order that tests/conftest.py gives them.
WORKERS_FLAGS = -n $(WORKERS) --dist loadfile --no-loadscope-reorder

# What neither trains nor starts programs.
FAST = $(wildcard tests/config_test.py tests/f*_test.py tests/imports_test.py \
    tests/outputs_test.py tests/template_test.py tests/docstrings_test.py \
    tests/size_test.py) \
    tests/text tests/layers tests/pretraining/corpus tests/pretraining/examples \
    tests/pretraining/records tests/checkpoints/arrays

# What `make test-all` tries; the page only where there is a browser.
ALL = test test-exhaustive test-beam test-parity docs test-environments demo \
    $(if $(shell command -v chromedriver),test-playground)

.PHONY: help demo playground test test-fast test-all test-exhaustive \
    test-environments test-lowest test-beam test-parity test-playground docs lint format \
    clean

help:
	@sed '/^$$/q; s/^# \{0,1\}//' Makefile

demo: $(VENV)/.installed-demo
	$(VENV)/bin/python tools/demo.py --output_dir="$(OUTPUT)" \
	    --input_file="$(INPUT)" $(OVERWRITE)

playground: $(VENV)/.installed-playground
	$(VENV)/bin/python tools/playground.py \
	    $(if $(MODEL_DIR),--model_dir="$(MODEL_DIR)") \
	    $(if $(LEFT_TO_RIGHT_DIR),--left_to_right_dir="$(LEFT_TO_RIGHT_DIR)")

test: lint
	$(VENV)/bin/python -m pytest $(WORKERS_FLAGS)

test-fast: $(VENV)/.installed-test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/python -m pytest $(WORKERS_FLAGS) \
	    -m "not large and not exhaustive and not parity" $(FAST)

# Each alone, so that none leans on what another has installed; `make
# alone-docs` tries one.
test-all: $(ALL:%=alone-%)

alone-%:
	rm -rf $(VENV)-alone
	$(MAKE) $* VENV=$(VENV)-alone OUTPUT=$(VENV)-alone/demo-output
	rm -rf $(VENV)-alone $(VENV)-alone-beam

test-exhaustive: $(VENV)/.installed-test
	$(VENV)/bin/python -m pytest $(WORKERS_FLAGS) \
	    -m "exhaustive and not parity and not browser"

test-environments: $(VENV)/.installed-test
	$(VENV)/bin/python -m pytest -n $(WORKERS) -m environments \
	    tests/environments_test.py

test-lowest: $(VENV)/.installed-test
	$(VENV)/bin/python -m pytest -m environments -k lowest \
	    tests/environments_test.py

# Apache Beam holds back packages that the others have newer.
test-beam:
	$(MAKE) $(VENV)-beam/.installed-test,beam VENV=$(VENV)-beam
	$(VENV)-beam/bin/python -m pytest tests/beam/data tests/beam/prediction \
	    tests/tools/create_pretraining_data_beam_test.py

# An unpinned torch would bring gigabytes of CUDA packages.
test-parity: $(VENV)/bin/python
	$(VENV)/bin/python -m pip install --quiet torch==2.13.0
	$(MAKE) $(VENV)/.installed-test,parity
	$(VENV)/bin/python -m pytest -m parity

# The pictures of the page go to the folder SCREENS, by default
# playground-screens; MODELS=a,b names the directories that it shows.
test-playground: $(VENV)/.installed-test,browser
	$(VENV)/bin/python -m pytest -m browser tests/playground

# Every warning is an error: broken links, pages that no menu reaches. The first
# time the tutorials take some ten minutes; what they print is kept.
docs: $(VENV)/.installed-docs
	$(VENV)/bin/python -m sphinx -W --keep-going --nitpicky -q \
	    -D nb_execution_mode=$(TUTORIALS) \
	    -c docs -d docs/_build/doctrees . docs/_build/html
	@echo "The site is docs/_build/html/index.html"

lint: $(VENV)/.installed-test
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

format: $(VENV)/.installed-test
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

clean:
	rm -rf $(VENV) $(VENV)-beam $(VENV)-alone docs/_build docs/api

$(VENV)/.installed-%: setup.cfg setup.py pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/python -m pip install --quiet --editable ".[$*]"
	touch $@

$(VENV)/bin/python:
	python=$$(tools/find_python.sh $(PYTHON)) && "$$python" -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade pip
