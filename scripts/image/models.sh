#!/bin/sh
# Fills the folder of models in the image: models.sh none|default CONTEXT TARGET. `default` takes the model of a first start from CONTEXT,
# the folder `models` of the build context, or else fetches it. Its digest is checked in both cases.
set -eu
mkdir -p "$3"
case "$1" in
  none) ;;
  default)
    if [ -f "$2/ggml-base.bin" ]; then cp "$2/ggml-base.bin" "$3/"; fi
    export STENOBOX_MODELS_DIR="$3" STENOBOX_DATA_DIR=/tmp/data STENOBOX_MODEL=base
    node scripts/stenobox.mjs models setup
    node scripts/stenobox.mjs models verify base
    ;;
  *) echo "MODELS must be none or default, not $1" >&2; exit 1 ;;
esac
