# shellcheck shell=bash
# store runs buildah in a store of its own, in the folder PLACE. Layers share files where the system can lay one folder over
# another, and are copied elsewhere.
if [ -z "${STORAGE_DRIVER:-}" ]; then
  layers=$(mktemp -d -p "$PLACE")
  mkdir "$layers/lower" "$layers/upper" "$layers/work" "$layers/merged"
  STORAGE_DRIVER=vfs
  if mount -t overlay -o "lowerdir=$layers/lower,upperdir=$layers/upper,workdir=$layers/work" overlay "$layers/merged" 2> /dev/null; then
    umount "$layers/merged"
    STORAGE_DRIVER=overlay
  fi
  rm -r "$layers"
  export STORAGE_DRIVER
fi
store() { buildah --root "$PLACE/root" --runroot "$PLACE/run" --storage-driver "$STORAGE_DRIVER" "$@"; }
