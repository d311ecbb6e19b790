#!/bin/sh
# Runs a command as the user jovyan, whose numbers NB_UID and NB_GID can change when the container starts as root.
set -eu

refuse() {
  echo "start: $1" >&2
  exit 1
}

if [ "$(id -u)" = 0 ]; then
  uid=${NB_UID:-1000} gid=${NB_GID:-100}
  case $uid$gid in *[!0-9]*) refuse "NB_UID is \"$uid\" and NB_GID is \"$gid\": give numbers, such as those of id -u and id -g" ;; esac
  [ "$uid" -gt 0 ] || refuse "NB_UID is 0, and the server doesn't run as root: give the number of your own user, which id -u prints"
  getent group "$gid" > /dev/null || groupadd --gid "$gid" jovyan
  # usermod gives the home folder and what is in it to the new numbers.
  [ "$(id -u jovyan):$(id -g jovyan)" = "$uid:$gid" ] || usermod --non-unique --uid "$uid" --gid "$gid" jovyan
  exec setpriv --reuid "$uid" --regid "$gid" --init-groups env HOME=/home/jovyan "$0" "$@"
fi
[ -w "$HOME" ] || refuse "user $(id -u) can't write to $HOME: start with --user root --env NB_UID=$(id -u)"
exec "$@"
