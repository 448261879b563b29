.PHONY: help install demo test check bench clean

help:
	@echo "make demo    ask the sample corpus six questions, one for each decision"
	@echo "make test    run the tests"
	@echo "make check   format, lint, types and the floors"
	@echo "make bench   measure, and compare with the bounds"
	@echo "make clean   remove the environment, the caches and the demo's store"

install:
	@scripts/install

demo: install
	@scripts/demo

test: install
	@scripts/test

check: install
	@scripts/check

bench: install
	@scripts/bench

clean:
	rm -rf .venv .demo dist build .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests bench scripts -name __pycache__ -type d -prune -exec rm -rf {} +
