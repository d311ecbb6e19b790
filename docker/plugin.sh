#!/bin/sh
# Brings XLA's plugin for processors into /usr/local/lib/go-xla, where go-xla's programs look for it. The Dockerfile's argument
# XLA_PLUGIN says from where: go-xla, pypi, or none to leave it out.
set -eu
library=/usr/local/lib
mkdir -p $library/go-xla

fail() {
  echo "plugin: $1" >&2
  exit 1
}

# go_xla takes the release that the go-xla of go.mod was made for. Without a token GitHub answers an address seldom.
go_xla() {
  if [ -r /run/secrets/GH_TOKEN ]; then GH_TOKEN=$(cat /run/secrets/GH_TOKEN) && export GH_TOKEN; fi
  timeout --kill-after=10 600 go run ./tools/plugin $library/go-xla ||
    fail "go-xla's installer failed, see above, or took more than ten minutes: --build-arg XLA_PLUGIN=pypi takes another build of the plugin, XLA_PLUGIN=none leaves it out"
}

# pypi takes a wheel by its hash.
pypi() {
  [ "$(uname -m)" = x86_64 ] || fail "XLA_PLUGIN is pypi, whose wheel is for x86-64, and this is $(uname -m): choose go-xla or none"
  echo "plugin   the wheel of docker/xla-cpu.txt: its uploader is NOT VERIFIED and it names no licence: don't publish this image"
  apt-get update
  apt-get install --yes --no-install-recommends python3-pip
  pip install --no-cache-dir --disable-pip-version-check --require-hashes --only-binary :all: --no-deps --target /tmp/wheel -r docker/xla-cpu.txt
  mv /tmp/wheel/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so $library/go-xla/pjrt_c_api_cpu_plugin.so
}

case $1 in
  go-xla) go_xla ;;
  pypi) pypi ;;
  none) echo "plugin   XLA's plugin for processors was LEFT OUT: XLA_PLUGIN is none" ;;
  *) fail "XLA_PLUGIN is \"$1\": choose go-xla, pypi or none" ;;
esac
