#!/bin/sh
# Prints README.md as it is packed into a release of a commit: its links and pictures lead to the repository at that commit.
# usage: readme.sh COMMIT
set -eu
cd "$(dirname "$0")/../.."
at=https://github.com/nbbnn/workbench
sed -E -e "s#^(!\[.*\])\(([^:)]+)\)#\1($at/raw/$1/\2)#" -e "s#\]\(([^:)]+)\)#]($at/blob/$1/\1)#g" README.md
