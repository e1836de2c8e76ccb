#!/usr/bin/env bash
# What `make run` shows: the embedded humanoid stands and waves; a plot, a picture, a film where there is ffmpeg.
#
#   tools/first_run.sh FOLDER
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$1
cortenforge=$folder/cortenforge

"$cortenforge" run --ctrl wave --time 10 --plot energy --plot-file "$folder/humanoid.svg"
if ! "$cortenforge" render --ctrl wave --time 2.3 --out "$folder/humanoid.png"; then
  echo "no picture: it needs OpenGL in software (apt-get install libegl1 libgl1-mesa-dri)"
elif command -v ffmpeg >/dev/null 2>&1; then
  "$cortenforge" run --ctrl wave --time 5 --video "$folder/humanoid.mp4" --fps 20 --size 480x360 --plot energy \
    --plot-file "$folder/humanoid.svg" --quiet
  echo "film              $folder/humanoid.mp4"
fi
cat <<END

Next:
  $cortenforge render models/robots/hand.xml --time 0.3     a picture of another model: picture.png
  $cortenforge run models/soft/flag.xml                     one of the models in docs/models.md
  $cortenforge view                                         a window (apt-get install libglfw3)
  $cortenforge help                                         all commands
  make python                                                the Python package (docs/python.md)
  make test                                                  everything that is tested
END
