# CortenForge: a thin layer over CMake.  `make` builds, `make help` lists the targets.
.DEFAULT_GOAL := build
BUILD := build
# what conform and bench run on: files or folders, and options of `cortenforge compare` and `race`
MODELS ?= models tests/data
ARGS ?=
REFERENCE := $(firstword $(wildcard $(BUILD)/refenv/lib/python3*/site-packages/mujoco))

# the environment that has the Python package
PYENV := $(BUILD)/pyenv/bin/python

.PHONY: help cross cross-check build run python wheel web test soak conform bench bench-load coverage mutants asan fuzz gpu headers fonts install uninstall format format-check clean setup-build setup-run setup-test setup-conform

help:
	@echo "make           the same as make build: library, command line, plugins, benchmarks, under build/"
	@echo "make run       a humanoid that stands and waves for ten seconds; a picture, a plot, a film with ffmpeg"
	@echo "make python    the Python package, in an environment of its own: build/pyenv/bin/python -c 'import cortenforge'"
	@echo "make wheel     wheel and sdist of the Python package under build/dist; ARGS=--check installs and tests them"
	@echo "make web       the engine for browsers and the page that holds it: build/web/cortenforge.html"
	@echo "make test      everything from nothing to green; PASSES=\"tests asan\" runs only those passes"
	@echo "make asan      the tests with AddressSanitizer and UndefinedBehaviorSanitizer; make fuzz: the fuzz targets"
	@echo "make soak      the long random and fuzz runs, after make test"
	@echo "make conform   accuracy against MuJoCo 3.5.0 on our models; MODELS=\"FILE|FOLDER...\" ARGS=\"--strict ...\""
	@echo "make bench     speed against MuJoCo 3.5.0, as ratios; the same variables; then one table of one core, threads,"
	@echo "               lanes and loading; KEEP=1 keeps it in bench/results.  make bench-load: loading of all models"
	@echo "make coverage  how many functions of the 3.5.0 API are implemented"
	@echo "make mutants   N=40 SEED=1: change the sources in N places, one at a time, and list what no test notices"
	@echo "make cross TARGET=aarch64-linux-musl    library, command line and headers for another system (docs/platforms.md);"
	@echo "               make cross-check TARGET=... runs it here, where something can, and compares hashes"
	@echo "make gpu       the kernels for NVIDIA GPUs, build/cortenforge.kernels; needs no GPU"
	@echo "make headers   regenerate the public headers from src/tables; make fonts: the letters of pictures"
	@echo "make format    write every C file as clang-format 14 does; make format-check only looks"
	@echo "make install   install under PREFIX (default /usr/local); make uninstall removes those files again"
	@echo "make clean     remove build/"

setup-build setup-run setup-test setup-conform:
	@bash tools/setup.sh $(@:setup-%=%)

build: setup-build
	@bash tools/build.sh $(BUILD)
	@echo "built: $(BUILD)/cortenforge and $(BUILD)/libcortenforge.so; next: make run"

run: setup-run
	@bash tools/build.sh $(BUILD) cf_cli
	@bash tools/first_run.sh $(BUILD)

python: setup-build
	@bash tools/setup.sh python
	@bash tools/build.sh $(BUILD) cf_python
	@$(PYENV) -c 'import cortenforge as cf; print("cortenforge", cf.__version__, "is ready: $(PYENV)")'

wheel: setup-build
	@bash tools/setup.sh python
	@bash tools/wheel.sh $(ARGS)

# exit 77 of the script: something that it needs cannot be had, and it has said what
web:
	@bash tools/web.sh || [ $$? = 77 ]

test:
	@bash tools/test.sh $(PASSES)

asan fuzz:
	@bash tools/test.sh $@

# the runs that are too long for every commit: random poses and scenes by the ten thousand, ten minutes of fuzzing a
# target; after make test, whose builds it uses
soak:
	@ctest --test-dir $(BUILD) -L soak --output-on-failure
	@CF_FUZZ_SECONDS=$(or $(SECONDS),600) CF_FUZZ_PERCENT=2000 bash tests/fuzz/run.sh $(BUILD)/fuzz
	@bash tools/determinism.sh
	@bash tools/wheel.sh --check
	@bash tools/cross_check.sh aarch64-linux-musl x86_64-windows-gnu

conform: setup-conform build
	@$(BUILD)/cortenforge compare $(MODELS) $(ARGS)

bench: setup-conform build
	@bash tools/bench.sh $(MODELS) $(ARGS)
	@KEEP=$(KEEP) MACHINE=$(MACHINE) bash tools/bench.sh table

bench-load: setup-conform build
	@bash tools/bench.sh load $(MODELS)

coverage: build
	@python3 tools/coverage.py $(BUILD)/libcortenforge.so

mutants: setup-test
	@python3 tools/mutate.py --count $(or $(N),40) --seed $(or $(SEED),1)

gpu: build
	@bash tools/setup.sh gpu
	@CF_TOOL=$(BUILD)/cortenforge bash tools/gpu/profile.sh
	@bash tools/gpu/build.sh $(BUILD)/cortenforge.kernels

cross: setup-build
	@bash tools/cross.sh $(TARGET)

cross-check: setup-build
	@bash tools/cross_check.sh $(TARGET)

headers:
	@python3 tools/gen_headers.py

fonts:
	@bash tools/setup.sh python
	@$(PYENV) tools/gen_fonts.py

install: build
	@cmake --install $(BUILD) --prefix $(or $(PREFIX),/usr/local)

# what the last install wrote
uninstall:
	@test -f $(BUILD)/install_manifest.txt || { echo "nothing was installed from $(BUILD)" >&2; exit 1; }
	@xargs -d '\n' rm -vf <$(BUILD)/install_manifest.txt | wc -l | sed 's/$$/ files removed/'
	@rm -f $(BUILD)/install_manifest.txt

format:
	@bash tools/format.sh

format-check:
	@bash tools/format.sh --check

clean:
	@rm -rf $(BUILD)
