# The scorecard and its lines; see CONTRIBUTING.md.
setup-score: ; @tools/setup build test python clang score fuzz

# QUICK=1: a small sample, in build/trust.md
score: $(if $(filter-out 0,$(QUICK)),setup-test,setup-score)
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON"
	tools/score $(if $(filter-out 0,$(QUICK)),--quick) --build $(BUILD)

determinism: setup-score
	tools/determinism

.PHONY: setup-score score determinism

abi: setup-score
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON"
	BUILD=$(BUILD) tools/abi

.PHONY: abi

lint: setup-score
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON"
	BUILD=$(BUILD) tools/lint

soak: setup-test
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON"
	$(BUILD)/bench/soak --calls 1e8
	$(BUILD)/bench/soak --steps 1e6

.PHONY: lint soak

# memory that runs out at every request, files and pipes that fail
oom: setup-test
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON"
	$(BUILD)/tests/oom --full

# T seconds of fuzzing in all, a target of fuzz/ on each core; what it finds is in build-fuzz/found
T ?= 600
build-fuzz: setup-test
	@tools/setup fuzz
	@CC=clang $(MAKE) --no-print-directory all BUILD=build-fuzz \
	  CMAKE_FLAGS="-DJOUNCE_FUZZ=ON -DJOUNCE_SANITIZE=ON -DJOUNCE_WEB=OFF -DJOUNCE_GPU=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo"
fuzz: build-fuzz
	tools/fuzz $(T)

.PHONY: oom fuzz build-fuzz
sanitize-all: setup-score
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON"
	BUILD=$(BUILD) tools/sanitize --all

coverage: setup-score
	tools/coverage

# N mutants in every folder; KEEP=1 goes on where the run before ended
N ?= 20
mutate: setup-test
	tools/mutate.py --per-folder $(N) $(if $(KEEP),--keep)

.PHONY: sanitize-all coverage mutate
