# The scorecard and its lines; see CONTRIBUTING.md.
setup-score: ; @tools/setup build test clang score

# QUICK=1: a small sample, in build/trust.md
score: $(if $(QUICK),setup-test,setup-score)
	@$(MAKE) --no-print-directory all CMAKE_FLAGS="-DJOUNCE_TESTS=ON -DJOUNCE_WERROR=ON"
	tools/score $(if $(QUICK),--quick) --build $(BUILD)

determinism: setup-score
	tools/determinism

.PHONY: setup-score score determinism
