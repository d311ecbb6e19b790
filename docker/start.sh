#!/bin/sh
# Starts JupyterLab as the user jovyan, whose number NB_UID can change when the container starts as root.
set -eu
if [ "$(id -u)" = 0 ]; then
  if [ "${NB_UID:-1000}" != 1000 ]; then
    usermod --uid "$NB_UID" jovyan
    chown --recursive "$NB_UID:100" /home/jovyan
  fi
  exec setpriv --reuid "${NB_UID:-1000}" --regid "${NB_GID:-100}" --clear-groups "$0" "$@"
fi
exec jupyter-lab --ServerApp.ip=0.0.0.0 --ServerApp.port=8888 --ServerApp.port_retries=0 \
  --ServerApp.root_dir=/home/jovyan/work --no-browser "$@"
