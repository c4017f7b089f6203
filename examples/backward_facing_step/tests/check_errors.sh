#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Mistakes on the command line end with exit status 1 and one line that explains them: check_errors.sh PROGRAM
set -uo pipefail

program=${1:?the program}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# expect STATUS TEXT OPTION...
expect() {
  local status=$1 text=$2 found
  shift 2
  OMP_PROC_BIND=false "$program" --output "$folder/out" "$@" >"$folder/log" 2>&1
  found=$?
  if [[ $found != "$status" ]] || ! grep -qF -- "$text" "$folder/log"; then
    echo "FAILED: $* gave exit status $found, expected $status with '$text':"
    cat "$folder/log"
    failures=$((failures + 1))
  fi
}

expect 0 "backward-facing step" --help
expect 1 "'20' is not a number of cells" --cells 20
expect 1 "must be even and at least 8" --cells 20x9
expect 1 "Reynolds number must be positive" --reynolds -1
expect 1 "alpha is 1, " --alpha 1 --cells 20x8
expect 1 "relaxation must be more than 0" --relaxation 1 --cells 20x8
expect 1 "--backend" --backend abacus
expect 2 "not steady after 1 iterations" --cells 20x8 --iterations 1

((failures == 0)) || exit 1
