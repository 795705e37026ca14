# Entries; what takes more than a line is a script in Scripts.
.PHONY: build setup setup-test test test-curl8 check check-schema check-sarif fuzz demo bench docs
.PHONY: install uninstall dist check-dist check-packages

# Nothing looks for symbols in the executable: those that Swift's runtime exports only cost time at each start. Functions in
# sections of their own let the linker leave out what nothing calls and keep equal ones once: a tenth less time for validate.
# `make build SYMBOLS=1` keeps the symbols, which profilers need.
build: setup
	@Scripts/static-libraries $(CURDIR)/.build/static
	PKG_CONFIG_PATH=$(CURDIR)/.build/static swift build --quiet -c release --static-swift-stdlib --disable-local-rpath \
		--product runner -Xswiftc -L$(CURDIR)/.build/static \
		-Xswiftc -Xfrontend -Xswiftc -function-sections -Xlinker --icf=safe $(if $(SYMBOLS),,-Xlinker -s) \
		-Xlinker --no-export-dynamic

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
	swift run -c release reply-fuzz --seconds 600

demo: build
	@Scripts/demo

# The manual as a site.
docs:
	@Scripts/docs

bench: build
	@Scripts/setup bench
	@Benchmarks/bench

# Uses what `make build` has built, so that `sudo make install` compiles nothing. PREFIX and DESTDIR as usual.
PREFIX ?= /usr/local
export PREFIX DESTDIR
install:
	@Scripts/install .build/release/runner

uninstall:
	@Scripts/install --remove

# A tarball, a .deb and an .rpm in dist/, from the built executable.
dist:
	@Scripts/setup dist
	@Scripts/dist .build/release/runner

# Whether that works, with what `make build` has built; check-packages also installs them in a bare Debian.
check-dist:
	@Scripts/setup dist
	@Scripts/check-dist

check-packages: build
	@Scripts/setup packages
	@Scripts/check-packages
