#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The wedge, from solver to picture: demo.sh BUILD_FOLDER OUTPUT_FOLDER [OPTION...]
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
build=${1:?the build folder}
output=${2:?a folder for the results}

# Unbound threads share a busy machine best.
export OMP_PROC_BIND=${OMP_PROC_BIND:-false}
"$build/examples/implicit_flow/implicit_flow" --case wedge --output "$output" "${@:3}"
if python3 -c 'import matplotlib' 2>/dev/null; then
  python3 "$here/plot.py" "$output"
else
  echo "no picture: python3 has no matplotlib"
fi
