#!/bin/bash
# Builds and tests a copy of the workbench with the latest versions of modules, and says what broke. The clone stays as it is.
#
#     tools/upstream/try.sh github.com/gomlx/compute            # the latest
#     tools/upstream/try.sh github.com/gomlx/gomlx@v0.28.16     # or one version
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || { echo "try: name the modules whose latest versions are to be tried" >&2; exit 2; }
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
git ls-files -z --cached --others --exclude-standard | tar --null -T - -cf - | tar -xf - -C "$place"
cd "$place"
export GOWORK=off GOFLAGS= GOTOOLCHAIN=auto
unset GOMLX_BACKEND NBBNN_KERNELS

# newest prints the latest version of a module. A proxy may not list what it has, so the next ten are asked for by number.
newest() {
  local version latest step
  version=$(go list -m -f '{{.Version}}' "$1") latest=$(go list -m -f '{{.Version}}' "$1@upgrade" 2> /dev/null) || latest=$version
  if [ "$latest" = "$version" ]; then
    for step in {10..1}; do
      latest=${version%.*}.$((${version##*.} + step))
      if go list -m "$1@$latest" > /dev/null 2>&1; then break; else latest=$version; fi
    done
  fi
  echo "$1@$latest"
}

versions=()
for module in "$@"; do case $module in *@*) versions+=("$module") ;; *) versions+=("$(newest "$module")") ;; esac; done
cp go.mod go.mod.before
failed=()

# step runs a command and remembers if it fails.
step() {
  local what=$1
  shift
  echo "try      $*"
  "$@" || failed+=("$what")
}

# offer applies the patches that docs/upstream offers, and runs their tests: NEON's on arm64 or in qemu, where there is one.
offer() {
  cp -r "$(go list -m -f '{{.Dir}}' github.com/gomlx/compute)" compute
  chmod -R u+w compute
  (cd compute && git apply ../docs/upstream/compute-*.patch && go test ./gobackend ./internal/gobackend/ops &&
    GOEXPERIMENT=simd go test ./internal/gobackend/ops &&
    { ! command -v qemu-aarch64 > /dev/null || CGO_ENABLED=0 GOARCH=arm64 go test -exec qemu-aarch64 -run ConvGeneralArch ./internal/gobackend/ops; }) &&
    rm -r compute
}

# report says what was tried and what broke, in the summary of the workflow as well.
report() {
  local text
  text="tried ${versions[*]}"
  if [ ${#failed[@]} = 0 ]; then text+=": all steps pass"; else text+="$(printf '; %s' "${failed[@]}")"; fi
  echo "try      $text"
  [ -z "${GITHUB_STEP_SUMMARY:-}" ] || echo "$text" >> "$GITHUB_STEP_SUMMARY"
  [ ${#failed[@]} = 0 ]
}

step "the versions can't be taken together" go get "${versions[@]}"
step "go.mod can't be tidied" go mod tidy
[ ${#failed[@]} = 0 ] || { report; exit 1; }
step "the patches for compute" offer
if cmp -s go.mod go.mod.before; then echo "try      nothing is newer than go.mod"; report; exit; fi
sed -i.before "s/backendVersion = .*/backendVersion = \"$(go list -m -f '{{.Version}}' github.com/gomlx/compute)\"/" internal/purego/executor/backend.go
step "it doesn't build: a linker name or a public name is gone" go build ./...
step "the signatures behind the linker names differ" go test -run Signatures ./internal/purego/executor
step "the structs of the backend differ" go test -run 'Structs|DotAgrees|Install' ./internal/purego/executor
# One test fails for every new version: the page of licences is made last.
last='TestNoticesNameEveryModule'
step "kernels, fusion or engines" go test -skip "$last" ./internal/purego/... ./internal/engine
step "networks: oracles and loops by hand" go test -skip "$last" ./nbbnn/network
step "the bits of runs made before" go test -run Before -skip "$last" ./nbbnn
step "the rest" go test -skip "$last" ./...
report
