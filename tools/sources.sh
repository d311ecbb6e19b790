#!/bin/sh
# Prints the checksum of the sources from which the program is built, for copies of them without a repository.
cd "$(dirname "$0")/.." || exit
find . -name '.?*' -prune -o -type f \( -name '*.go' -o -name '*.s' -o -name 'go.*' \) -print | LC_ALL=C sort | xargs cat |
	if command -v sha256sum > /dev/null; then sha256sum; else shasum -a 256; fi | sed 's/ .*//; s/^/sha256:/'
