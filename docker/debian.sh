#!/bin/sh
# Installs Debian packages as they were at a moment, such as 20261120T000000Z: snapshot.debian.org keeps every state of the
# archive, so that the same Dockerfile gives the same packages later. With none instead of a moment it takes today's.
#
#     debian.sh MOMENT PACKAGE...
set -eu
moment=$1
shift
options=
if [ "$moment" != none ]; then
  . /etc/os-release
  sources=$(mktemp)
  # Packages are signed, so plain HTTP will do: before ca-certificates is installed there is nothing else.
  for suite in "debian $VERSION_CODENAME" "debian $VERSION_CODENAME-updates" "debian-security $VERSION_CODENAME-security"; do
    echo "deb [check-valid-until=no signed-by=/usr/share/keyrings/debian-archive-keyring.gpg]" \
      "http://snapshot.debian.org/archive/${suite%% *}/$moment ${suite#* } main"
  done > "$sources"
  chmod 644 "$sources"
  options="-o Dir::Etc::sourcelist=$sources -o Dir::Etc::sourceparts=- -o Acquire::Retries=5"
fi
# shellcheck disable=SC2086 # options are words
apt-get $options update
# shellcheck disable=SC2086
apt-get $options install --yes --no-install-recommends "$@"
rm -rf /var/lib/apt/lists/* ${sources:+"$sources"}
