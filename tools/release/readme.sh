#!/bin/sh
# Prints README.md as it is packed into a release of a commit: its links and pictures lead to the repository at that commit,
# its commands name the program and the picture that are there.
# usage: readme.sh COMMIT
set -eu
cd "$(dirname "$0")/../.."
at=https://github.com/nbbnn/workbench
top='You unpacked the program: `./nbbnn corrupt show`, then `./nbbnn figure demo --seeds 1`; `make` and `docs/` are in the clone. `./nbbnn verify map-seed1.a13654e1d1e7.record` repeats a record of the [board](docs/results/board/README.md).'
{ sed 1q README.md; printf '\n%s\n' "$top"; sed 1d README.md; } |
  sed -E -e "s#^(!\[.*\])\(([^:)]+)\)#\1($at/raw/$1/\2)#" -e "s#\]\(([^:)]+)\)#]($at/blob/$1/\1)#g" \
    -e '/^    /s#docs/images/node\.png#out/corruptions.png#' -e 's#^    bin/nbbnn#    ./nbbnn#'
