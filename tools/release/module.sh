#!/bin/sh
# Makes the commit a version of the module in a file proxy, as a tag makes it one in Go's, and uses it without the clone: measures
# what is downloaded, installs the program, and builds a program of docs/example in a module that requires the workbench.
set -eu
most=8000000 # bytes of the module
module=github.com/nbbnn/workbench
cd "$(dirname "$0")/../.."
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# Folders with a go.mod are modules of their own, which a module's file lacks.
version=v0.0.0-$(TZ=UTC git log -1 --format=%cd --date=format-local:%Y%m%d%H%M%S)-$(git rev-parse --short=12 HEAD)
proxy=$place/proxy/$module/@v
mkdir -p "$proxy"
set --
for folder in $(git ls-files '*/go.mod'); do set -- "$@" ":!${folder%/go.mod}"; done
git archive --format=zip --prefix="$module@$version/" --output="$proxy/$version.zip" HEAD -- . "$@"
git show HEAD:go.mod > "$proxy/$version.mod"
printf '{"Version":"%s"}\n' "$version" > "$proxy/$version.info"
echo "$version" > "$proxy/list"

# The user's module cache is a proxy, too, so that little is downloaded; nothing is added to it.
GOPROXY=file://$place/proxy,file://$(go env GOMODCACHE)/cache/download,$(go env GOPROXY)
export GOPROXY GONOSUMDB="$module" GOMODCACHE="$place/modules" GOBIN="$place/bin" GOWORK=off GOFLAGS='-modcacherw -trimpath'
mkdir "$place/mine"
cp docs/example/cosine/main.go "$place/mine"
cd "$place/mine"
size=$(go mod download -json "$module@$version" | sed -n 's/.*"Zip": "\(.*\)",/\1/p' | xargs cat | wc -c)
echo "module   $size bytes to download"
[ "$size" -le $most ] || { echo "module: that is over $most bytes: give a folder of large files that no package needs a go.mod" >&2; exit 1; }
go install "$module/cmd/nbbnn@$version"
"$GOBIN/nbbnn" --version
"$GOBIN/nbbnn" --version | grep -q "$version h1:" || { echo "module: the installed program doesn't say its version" >&2; exit 1; }
go mod init example.org/mine
go get "$module@$version"
go mod tidy
go build -o mine .
./mine train --preset allcnnc-shapes10 --method cosine --gamma 8 --plan
