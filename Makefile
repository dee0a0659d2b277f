# make         prints this list
# make demo    trains and exports a small BERT from plain text
# make playground   shows a model in the browser: the demo's, or the included
#                   tiny model
# make test    runs the tests
# make test-fast   runs the tests that neither train nor start programs
# make test-all    runs all targets below on the last commit, and writes a table
# make test-exhaustive  runs the combinations that `make test` skips
# make test-environments  tests each extra of setup.cfg separately
# make test-lowest    tests the lowest version of each requirement
# make test-beam   runs the tests of the Beam pipelines
# make test-loaders  loads ONNX and TFLite files with other libraries
# make test-parity compares trained weights with transformers
# make test-playground   tests the playground in Chromium
# make docs    runs the tutorials and builds the site, docs/_build/html
# make lint    checks style and types; make format formats the code
#
# PYTHON=...   Python interpreter of the virtual environment
# INPUT=...    text files for the demo: a path or a quoted glob
# SHARD=3/8    part of `make test-all`: the third of eight
# WORKERS=...  number of test processes; each takes about 2 GB
# TUTORIALS=off   builds the site without running the tutorials
# MODEL_DIR=...  model of the playground, a directory or a name on the Hub
# LEFT_TO_RIGHT_DIR=...  left-to-right model for comparison in the playground
# OUTPUT=...   output directory of the demo; only demo-output is overwritten

VENV ?= .venv
PYTHON ?=
INPUT ?=
WORKERS ?= 2
SHARD ?= 1/1
OUTPUT ?= demo-output
TUTORIALS ?= cache
MODEL_DIR ?= $(wildcard demo-output/bert)
LEFT_TO_RIGHT_DIR ?=
OVERWRITE = $(if $(filter demo-output,$(OUTPUT)),--overwrite)
# Each file runs in one worker, in the order defined by tests/conftest.py. A
# worker that ends by a signal ends the tests.
WORKERS_FLAGS = -n $(WORKERS) --dist loadfile --no-loadscope-reorder \
    --max-worker-restart=0

# Tests that neither train nor start programs.
FAST = $(wildcard tests/config_test.py tests/f*_test.py tests/imports_test.py \
    tests/template_test.py tests/docstrings_test.py) \
    tests/text tests/layers tests/pretraining/corpus \
    tests/pretraining/records tests/checkpoints/arrays

.PHONY: help demo playground test test-fast test-all test-exhaustive \
    test-environments test-lowest test-beam test-loaders test-parity test-playground docs lint format \
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

# Each target runs in an environment of its own; see tests/run_all.py.
test-all:
	python=$$(tools/find_python.sh $(PYTHON)) && \
	    "$$python" tests/run_all.py --shard=$(SHARD)

test-exhaustive: $(VENV)/.installed-test
	$(VENV)/bin/python -m pytest $(WORKERS_FLAGS) \
	    -m "exhaustive and not parity and not browser and not beam and not loaders"

test-environments: $(VENV)/.installed-test
	$(VENV)/bin/python -m pytest -n $(WORKERS) -m environments \
	    tests/environments_test.py tests/families/writers_test.py \
	    tests/serve

test-lowest: $(VENV)/.installed-test
	$(VENV)/bin/python -m pytest -m environments -k lowest \
	    tests/environments_test.py

# Apache Beam needs older versions of some packages.
test-beam:
	$(MAKE) $(VENV)-beam/.installed-test,beam VENV=$(VENV)-beam
	$(VENV)-beam/bin/python -m pytest -m beam tests/beam/data \
	    tests/beam/prediction tests/tools/programs_test.py \
	    tests/tools/create_pretraining_data_beam_test.py

# optimum needs older versions of some packages; its transformers would import
# TensorFlow for models that need Keras 2.
test-loaders:
	$(MAKE) $(VENV)-loaders/bin/python VENV=$(VENV)-loaders
	$(VENV)-loaders/bin/python -m pip install --quiet torch==2.13.0
	$(MAKE) $(VENV)-loaders/.installed-loaders VENV=$(VENV)-loaders
	USE_TF=0 $(VENV)-loaders/bin/python -m pytest -m loaders \
	    tests/export/loaders_test.py tests/export/openvino_test.py \
	    tests/export/lengths_test.py tests/readme_test.py

# An unpinned torch would install gigabytes of CUDA packages.
test-parity: $(VENV)/bin/python
	$(VENV)/bin/python -m pip install --quiet torch==2.13.0
	$(MAKE) $(VENV)/.installed-test,parity
	$(VENV)/bin/python -m pytest $(WORKERS_FLAGS) -m parity

# Screenshots are saved to the folder SCREENS, by default playground-screens;
# MODELS=a,b names the directories of the models.
test-playground: $(VENV)/.installed-test,browser
	$(VENV)/bin/python -m pytest -m browser tests/playground

# Warnings are errors: broken links, pages without a menu entry. The first run of
# the tutorials takes about ten minutes; the outputs are cached.
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
	rm -rf $(VENV) $(VENV)-beam $(VENV)-loaders .test-all docs/_build docs/api

$(VENV)/.installed-%: setup.cfg setup.py pyproject.toml | $(VENV)/bin/python
	$(VENV)/bin/python -m pip install --quiet --editable ".[$*]"
	touch $@

$(VENV)/bin/python:
	python=$$(tools/find_python.sh $(PYTHON)) && "$$python" -m venv $(VENV)
	$(VENV)/bin/python -m pip install --quiet --upgrade pip
