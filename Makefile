# SPDX-License-Identifier: Apache-2.0
# The front door. The work is in tools/; on Debian each of these installs what it needs.
SHELL := /bin/bash
PREFIX ?= /usr/local
.DEFAULT_GOAL := help
.PHONY: help demo incident test laws tidy build install package wheel bench bench-census bench-verdict bench-programs format clean

help: ## this list
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 22

demo: ## see it work: a small training job is run and judged (a few minutes)
	@tools/demo

incident: ## the training job that this project started from, as it was and with the remedy (ten minutes)
	@tools/incident

test: ## everything that must hold; FAST=1 leaves out sanitizers and fuzzers, FRAMEWORKS=0 torch and the like
	@FAST=$(FAST) FRAMEWORKS=$(FRAMEWORKS) tools/test

laws: ## what must hold for every input, tried on new random input (eight minutes); TIMES=40000 for ten times as much
	@tools/bootstrap test
	@tools/laws $(TIMES)

tidy: ## clang-tidy over src/; a group of files is looked at again only when one of it changed
	@tools/bootstrap test
	@tools/build build-tidy -DTIDEGAUGE_TESTS=OFF -DTIDEGAUGE_GROUPED=ON product
	@tools/tidy.py build-tidy

build: ## leaves build/tidegauge
	@tools/bootstrap build
	@tools/build build $(if $(wildcard build/build.ninja),,-DTIDEGAUGE_TESTS=OFF -DTIDEGAUGE_GROUPED=ON) product

install: build ## into PREFIX=/usr/local, or wherever you say (DESTDIR is respected)
	@cmake --install build --strip --prefix $(abspath $(PREFIX))

package: ## a .deb in out/
	@tools/package

wheel: ## a Python wheel in out/
	@tools/wheel

bench: ## what watching costs, beside psutil, ps, smem and atop; fifteen minutes; ARGS=--quick for five
	@FRAMEWORKS=$(FRAMEWORKS) tools/bench $(ARGS)

bench-census: ## what a census costs, beside gc, objgraph, guppy3 and pympler (ten minutes, 6 GB); ARGS=--objects=1 for less
	@tools/bench_census $(ARGS)

bench-verdict: ## how right the verdicts are, beside 14 other methods; ARGS=--quick for one minute
	@tools/bench_verdict $(ARGS)

bench-programs: ## 36 real programs of known truth, run and judged (ten minutes)
	@tools/bench_programs $(ARGS)

format: ## formats the C and C++ code
	@tools/bootstrap test
	@source tools/say.sh && project_files '*.h' '*.cc' '*.c' | xargs -0 clang-format-14 -i

clean: ## removes what was built here
	@rm -rf build build-* out
