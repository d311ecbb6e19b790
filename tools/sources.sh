#!/bin/sh
# Prints the checksum of the sources from which the program is built, for copies of them without a repository.
cd "$(dirname "$0")/.." || exit
sum=sha256sum
command -v "$sum" > /dev/null || sum='shasum -a 256'
find . -name '.?*' -prune -o -type f \( -name '*.go' -o -name '*.s' -o -name 'go.*' \) -print |
	LC_ALL=C sort | xargs cat | $sum | sed 's/ .*//; s/^/sha256:/'
