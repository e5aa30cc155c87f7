# Every target works alone, from a fresh clone: it installs what it needs (scripts/setup).

export GOEXPERIMENT := jsonv2
export IEMESH_VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)

.PHONY: run demo build test bench lint dist clean
.NOTPARALLEL:

run: build
	@scripts/setup browser
	@scripts/run

demo: build
	@scripts/setup browser
	@scripts/demo

build:
	@scripts/setup go
	CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X iemesh/cmd/config.Version=$(IEMESH_VERSION)" -o bin/ \
		./cmd/gateway ./cmd/winworker ./worker/legacyapp/cmd/legacyapp ./worker/iedriversim ./test/prove ./test/demo

test:
	@scripts/setup go browser test wine
	@scripts/test

bench:
	@scripts/setup go browser test
	go test -count=1 -tags bench -v ./test/bench

lint:
	@scripts/setup go lint
	@scripts/lint

dist:
	@scripts/setup go
	go run ./scripts/dist

clean:
	rm -rf bin dist .cache test/node_modules
