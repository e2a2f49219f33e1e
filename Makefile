# The front door. Every target installs what it misses (tools/setup), then hands over to CMake.
PREFIX ?= /usr/local
BUILD  ?= build
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
export CTEST_OUTPUT_ON_FAILURE = 1
MAKEFLAGS += --no-print-directory

all: setup-build
	@cmake -S . -B $(BUILD) -DCMAKE_INSTALL_PREFIX=$(PREFIX) $(CMAKE_FLAGS) > $(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log
	@cmake --build $(BUILD) -j $(JOBS)

test: setup-test
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON"
	ctest --test-dir $(BUILD) -j $(JOBS)
	tools/score --quick --build $(BUILD)

# reports with figures and 3D scenes, the documentation and the README's picture, opened in a browser
test-browser: setup-test
	@tools/setup plot web browser
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON"
	JOUNCE_BROWSER=full ctest --test-dir $(BUILD) -R 'test_report|test_scene|test_browser|test_site|test_picture' --verbose

# everything, with what takes long or needs large packages
test-all: setup-torch test test-browser test-types test-wheel test-cluster test-wasm test-arm

# the stub of the Python module by a type checker
test-types: setup-test
	@tools/setup types
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON"
	JOUNCE_TYPES=1 ctest --test-dir $(BUILD) -R test_python_types --verbose

# generated code on emulated microcontrollers
test-arm: setup-test
	@tools/setup arm
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON"
	JOUNCE_ARM_LEVEL=-O2 ctest --test-dir $(BUILD) -R test_generate_arm --verbose

# sweeps under mpirun and on a Dask cluster
test-cluster: setup-test
	@tools/setup cluster python
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON"
	ctest --test-dir $(BUILD) -R sweep --verbose

# a wheel for Python 3.10 and later in $(BUILD)/wheel; and `pip install .` in a plain environment without network
wheel: python
	@mkdir -p $(BUILD)/wheel
	@JOUNCE_BUILD_DIR=$(abspath $(BUILD)) /usr/bin/python3 python/backend/jounce_build.py $(BUILD)/wheel

test-wheel: setup-test
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON"
	JOUNCE_WHEEL_FULL=1 ctest --test-dir $(BUILD) -R test_python_wheel --verbose

# libjounce_gpu on a GPU: bits of every built-in robot, streams, Python, memory checked, states a second. TRIAL: a folder that
# `make gpu-trial` packed on another machine, for one that has NVIDIA's driver but cannot build
GPU_STATES ?= 1e6
ifdef TRIAL
test-gpu:
	@tools/test_gpu $(TRIAL) $(GPU_STATES)
else
test-gpu: setup-test
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON -DJOUNCE_PYTHON=ON"
	@tools/test_gpu $(BUILD) $(GPU_STATES)
endif

gpu-trial: setup-test
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON -DJOUNCE_PYTHON=ON"
	@tools/gpu_trial $(BUILD) $(BUILD)/gpu-trial
	@echo "on the other machine, in a checkout of these sources: make test-gpu TRIAL=gpu-trial"
.PHONY: gpu-trial

demo: setup-demo
	@$(MAKE) --no-print-directory all
	$(BUILD)/jounce demo

# reference robots beside the project, when there
ROBOTS_FIXED := $(wildcard $(foreach r,ur5 panda7 allegro_hand,../shared/robots/$(r)/model.urdf))
ROBOTS_FLOATING := $(wildcard $(foreach r,hextilt solo12 simple_humanoid talos_reduced,../shared/robots/$(r)/model.urdf))
bench: setup-demo
	@$(MAKE) --no-print-directory all
	$(BUILD)/jounce bench --figure $(BUILD)/bench
	@for r in $(ROBOTS_FIXED); do $(BUILD)/jounce bench $$r --fixed --orders 0-2 || exit 1; done
	@for r in $(ROBOTS_FLOATING); do $(BUILD)/jounce bench $$r --floating --orders 0-2 || exit 1; done
	$(BUILD)/jounce bench chain:6 chain:12 chain:24 --orders 1 --only retime
	@echo "table and picture: $(BUILD)/bench"

# instructions a call: stepped one by one on this processor, and as callgrind sees the plain engine
bench-count: setup-build
	@tools/setup count
	@$(MAKE) --no-print-directory all
	tools/bench_count $(BUILD)/jounce

# the documentation as a site, its links checked
docs: setup-build
	@tools/setup docs
	@$(MAKE) --no-print-directory all
	tools/site . $(BUILD)/jounce $(BUILD)/docs
	@echo "open $(BUILD)/docs/index.html"

# the npm package and the playground in $(BUILD)/wasm; and tried in node and Chromium
wasm: setup-build
	@tools/setup wasm web
	@echo "compiling for WebAssembly, a few minutes"
	@JOBS=$(JOBS) tools/wasm . $(BUILD)/wasm
	@echo "npm package: $(BUILD)/wasm/package; open $(BUILD)/wasm/playground.html"

test-wasm: setup-test wasm
	@tools/setup browser
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON"
	JOUNCE_WASM=full ctest --test-dir $(BUILD) -R test_wasm --verbose
.PHONY: wasm test-wasm

# Debian packages in $(BUILD)/deb; and tried in a clean root
deb: setup-build
	@tools/setup deb python docs
	@tools/deb . $(BUILD)/deb

test-deb: deb
	@tools/setup root
	tools/deb_root . $(BUILD)/deb $(BUILD)/deb/root

install: all
	cmake --install $(BUILD)

python: setup-python
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_PYTHON=ON"
	@echo "built; use it:  export PYTHONPATH=$(abspath $(BUILD))/python   with $$(sed -n 's/^_Python3_EXECUTABLE:INTERNAL=//p' $(BUILD)/CMakeCache.txt)"
	@echo "to install: make install, or pip install ."

sanitize: setup-test
	tools/sanitize

clang: setup-clang
	@CC=clang $(MAKE) --no-print-directory all BUILD=build-clang CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON"
	ctest --test-dir build-clang -j $(JOBS)

format:
	tools/format

# the scorecard of docs/trust.md and its lines
include tools/trust.mk

clean:
	rm -rf build build-*

setup-build: ; @tools/setup build
setup-test:  ; @tools/setup build test python
setup-python: ; @tools/setup build python
setup-torch: ; @tools/setup torch
setup-demo:  ; @tools/setup build plot
setup-clang: ; @tools/setup build test clang

help:
	@echo "make          build $(BUILD)/jounce and the library"
	@echo "make demo     the aerial-manipulator study: tables, CSV, figures, one HTML page"
	@echo "make test     build and run all tests"
	@echo "make test-browser   reports, the documentation and the README's picture in Chromium (installs npm and Chromium, about 700 MB)"
	@echo "make test-gpu  libjounce_gpu on a GPU: equal bits, states a second; make gpu-trial: packed for a machine that cannot build"
	@echo "make score    the scorecard of docs/trust.md, an hour or two; QUICK=1: a sample (see CONTRIBUTING.md)"
	@echo "make docs     the documentation as a site in $(BUILD)/docs (needs pandoc)"
	@echo "make wasm     the npm package jounce and a playground page (WebAssembly); make test-wasm: in node and Chromium"
	@echo "make deb      Debian packages in $(BUILD)/deb; make test-deb: tried in a clean root (as root)"
	@echo "make python   the Python module, $(BUILD)/python/jounce"
	@echo "make wheel    a wheel in $(BUILD)/wheel; make test-wheel: pip install . in a plain environment without network"
	@echo "make test-all everything: test, test-browser, test-types, test-wheel, test-wasm, test-arm, test-cluster (mpirun, Dask)"
	@echo "make bench    measure; make bench-count: instructions a call; make sanitize: tests under ASan+UBSan; make clang: tests built by clang"
	@echo "make install PREFIX=/usr/local"

.PHONY: all docs deb test-deb test test-all test-arm test-browser test-wheel test-cluster test-types test-gpu wheel demo bench bench-count python install sanitize clang format clean help setup-build setup-test setup-python setup-torch setup-demo setup-clang
