# CortenForge: a thin layer over CMake.  `make help` lists the targets.
BUILD := build
JOBS := $(shell nproc 2>/dev/null || echo 2)
# what conform and bench run on: files or folders, and options of `cortenforge compare` and `race`
MODELS ?= models tests/data
ARGS ?=
REFERENCE := $(firstword $(wildcard $(BUILD)/refenv/lib/python3*/site-packages/mujoco))

# the environment that has the Python package
PYENV := $(BUILD)/pyenv/bin/python

.PHONY: help run python wheel test soak conform bench bench-load coverage mutants build asan fuzz gpu install format format-check headers clean setup-build setup-test

help:
	@echo "make run       build, simulate the humanoid for 10 seconds, write a plot"
	@echo "make python    the Python package, in an environment of its own: build/pyenv/bin/python -c 'import cortenforge'"
	@echo "make wheel     wheel and sdist of the Python package under build/dist; ARGS=--check installs and tests them"
	@echo "make test      everything from nothing to green; PASSES=\"tests asan\" runs only those passes"
	@echo "make soak      the long random and fuzz runs, after make test"
	@echo "make conform   accuracy against MuJoCo 3.5.0 on our models; MODELS=\"FILE|FOLDER...\" ARGS=\"--strict ...\""
	@echo "make bench     speed against MuJoCo 3.5.0, as ratios; the same variables; then one table of one core, threads,"
	@echo "               lanes and loading; KEEP=1 keeps it in bench/results.  make bench-load: loading of all models"
	@echo "make coverage  how many functions of the 3.5.0 API are implemented"
	@echo "make mutants   N=40 SEED=1: change the sources in N places, one at a time, and list what no test notices"
	@echo "make gpu       the kernels for NVIDIA GPUs, build/cortenforge.kernels; needs no GPU"
	@echo "make headers   regenerate the public headers from src/tables"
	@echo "make format    write every C file as clang-format 14 does; make format-check only looks"
	@echo "make install   install under PREFIX (default /usr/local)"

setup-build:
	@bash tools/setup.sh build

setup-test:
	@bash tools/setup.sh test

python: setup-build
	@bash tools/setup.sh python
	@cmake -S . -B $(BUILD) -G Ninja -DCF_TESTS=OFF -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target cf_python
	@$(PYENV) -c 'import cortenforge as cf; print("cortenforge", cf.__version__, "is ready: $(PYENV)")'

build: setup-build
	@cmake -S . -B $(BUILD) -G Ninja -DCF_TESTS=OFF -DCMAKE_BUILD_TYPE=Release >/dev/null
	@cmake --build $(BUILD) -j $(JOBS)

run: build
	@$(BUILD)/cortenforge run --time 10 --plot energy --plot-file $(BUILD)/humanoid.svg

wheel: setup-build
	@bash tools/setup.sh python
	@bash tools/wheel.sh $(ARGS)

test:
	@bash tools/test.sh $(PASSES)

# the runs that are too long for every commit: random poses and scenes by the ten thousand, ten minutes of fuzzing a
# target; after make test, whose builds it uses
soak:
	@ctest --test-dir $(BUILD) -L soak --output-on-failure
	@CF_FUZZ_SECONDS=$(or $(SECONDS),600) CF_FUZZ_PERCENT=2000 bash tests/fuzz/run.sh $(BUILD)/fuzz
	@bash tools/determinism.sh
	@bash tools/wheel.sh --check

conform: setup-test build
	@$(BUILD)/cortenforge compare $(MODELS) $(ARGS)

bench: setup-test build
	@bash tools/bench.sh $(MODELS) $(ARGS)
	@KEEP=$(KEEP) MACHINE=$(MACHINE) bash tools/bench.sh table

bench-load: setup-test build
	@bash tools/bench.sh load $(MODELS)

coverage: build
	@python3 tools/coverage.py $(BUILD)/libcortenforge.so

mutants: setup-test
	@python3 tools/mutate.py --count $(or $(N),40) --seed $(or $(SEED),1)

gpu: build
	@bash tools/setup.sh gpu
	@CF_TOOL=$(BUILD)/cortenforge bash tools/gpu/profile.sh
	@bash tools/gpu/build.sh $(BUILD)/cortenforge.kernels

headers:
	@python3 tools/gen_headers.py

install: build
	@cmake --install $(BUILD) --prefix $(or $(PREFIX),/usr/local)

format:
	@bash tools/format.sh

format-check:
	@bash tools/format.sh --check

clean:
	@rm -rf $(BUILD)
