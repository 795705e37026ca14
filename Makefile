# Entries; what takes more than a line is a script in Scripts.
.PHONY: build setup setup-test test test-curl8 check check-schema check-sarif fuzz demo bench

build: setup
	swift build -c release --static-swift-stdlib --product runner -Xlinker -s

setup:
	@Scripts/setup

setup-test:
	@Scripts/setup test

test: setup-test
	@Scripts/test

test-curl8: setup-test
	@Scripts/test-curl8

check: setup
	@Scripts/check

check-schema:
	@Scripts/check-schema

check-sarif: setup
	@Scripts/check-sarif

fuzz: setup
	swift run -c release job-fuzz --seconds 600
	swift run -c release frame-fuzz --seconds 600
	swift run -c release program-fuzz --seconds 600

demo: build
	@Scripts/demo

bench: build
	@Benchmarks/bench
