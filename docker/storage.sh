# shellcheck shell=bash
# store runs buildah in a store of its own, in the folder PLACE.
store() { buildah --root "$PLACE/root" --runroot "$PLACE/run" --storage-driver "$STORAGE_DRIVER" "$@"; }
