#!/bin/sh
# Builds nbbnn from a clean tree for each GOOS/GOARCH that is given, and packs it into out/release with its licences and a
# record to verify. A list of its modules (CycloneDX) and checksums of all files go next to it. The Go that go.mod names
# builds without cgo, so that one commit gives the same bytes wherever it is built.
set -eu
cd "$(dirname "$0")/../.."
changes=$(git status --porcelain)
[ -z "$changes" ] || { echo "release: the tree has changes that aren't in its commit: commit or stash them first (git status)" >&2; exit 1; }
record=docs/results/board/shapes10/map-seed1.a13654e1d1e7.record
version=$(git describe --tags --always --abbrev=12)
GOTOOLCHAIN=$(sed -n 's/^go /go/p' go.mod)
export GOTOOLCHAIN CGO_ENABLED=0 GOFLAGS=-mod=readonly TZ=UTC # zip has local times
rm -rf out/release .cache/release
mkdir -p out/release .cache/release
tools/release/readme.sh "$(git rev-parse HEAD)" > .cache/release/README.md
go -C tools/supply build -trimpath -o ../../.cache/release/ github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod
for target; do
  export GOOS="${target%/*}" GOARCH="${target#*/}"
  case $GOOS in windows) ending=.exe format=zip ;; *) ending='' format=tar.gz ;; esac
  name=nbbnn-$version-$GOOS-$GOARCH program=.cache/release/nbbnn$ending
  go build -trimpath -ldflags='-s -w' -o "$program" ./cmd/nbbnn
  .cache/release/cyclonedx-gomod bin -json -noserial -notimestamp -output "out/release/$name.cdx.json" "$program"
  git -c tar.umask=0022 archive --format="$format" --prefix="$name/" --add-file="$program" --add-file=.cache/release/README.md --add-file="$record" --output="out/release/$name.$format" HEAD LICENSE NOTICES.md
  echo "release  out/release/$name.$format"
done
cd out/release
if command -v sha256sum > /dev/null; then sha256sum -- *; else shasum -a 256 -- *; fi > ../SHA256SUMS
mv ../SHA256SUMS .
