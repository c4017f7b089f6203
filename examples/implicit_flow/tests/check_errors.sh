#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Mistakes on the command line end with exit status 1 and one line that explains them, in one process or where a command
# starts it on two ranks: check_errors.sh IMPLICIT_FLOW [COMMAND...]
set -uo pipefail

flow=${1:?the program}
launch=("${@:2}")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# expect STATUS TEXT OPTION...
expect() {
  local status=$1 text=$2 found
  shift 2
  OMP_PROC_BIND=false "${launch[@]}" "$flow" --output "$folder/out" "$@" >"$folder/log" 2>&1
  found=$?
  if [[ $found != "$status" ]] || ! grep -qF -- "$text" "$folder/log"; then
    echo "FAILED: $* gave exit status $found, expected $status with '$text':"
    cat "$folder/log"
    failures=$((failures + 1))
  fi
}

# expect_once TEXT OPTION...: an error of all ranks that one of them explains.
expect_once() {
  expect 1 "$@"
  [[ $(grep -cF -- "$1" "$folder/log") == 1 ]] || {
    echo "FAILED: not once: $1"
    failures=$((failures + 1))
  }
}

printf '2\n2 2 2\n2 2 2\n%s\n%s\n' '0 1 0 1 0 1 0 1 0 0 1 1 0 0 1 1 4*0 4*1' '3 4 3 4' >"$folder/short.p3d"

if ((${#launch[@]})); then
  expect 0 "mpirun -n 2" --help
  expect_once "--cells" --cells 3x3
  expect_once "rank 0: the Mach number must be positive" --mach -1
  expect_once "rank 0: $folder/missing.p3d: " --grid-file "$folder/missing.p3d"
  expect_once "rank 0: $folder/short.p3d, line 6: the file ends before x of vertex (0, 0, 1) of block 1" --grid-file "$folder/short.p3d"
  expect_once "rank 0: $folder/missing/grid.p3d: cannot be written" --cells 8x8x1 --write-grid "$folder/missing/grid.p3d"
  expect_once "--storage is for one process, double is for all" --cells 8x8x1 --parts 2x1x1 --storage float
  expect_once "--preconditioner-parts is for one process" --cells 8x8x1 --parts 2x1x1 --preconditioner-parts 2x1x1
  expect_once "--adjoint is for one process" --cells 8x8x1 --parts 2x1x1 --adjoint
  expect_once "--write-system is for one process" --cells 8x8x1 --parts 2x1x1 --write-system
  expect 2 "2 ranks, 1 of them without a grid block" --cells 8x8x1 --steps 1
  expect 2 "not steady after 1 steps" --cells 8x8x1 --parts 2x2x1 --steps 1
  exit $((failures > 0))
fi

printf '2 2 2\n0 1 0 1 0 oops' >"$folder/bad.p3d"
printf '2 2 2\n0 1 0 1 0 1 0 1\n0 0 1 1 0 0 1 1\n4*1 4*0\n' >"$folder/left_handed.p3d"
printf '2\n2 2 2\n2 2 2\n%s\n%s\n' '0 1 0 1 0 1 0 1 0 0 1 1 0 0 1 1 4*0 4*1' '3 4 3 4 3 4 3 4 0 0 1 1 0 0 1 1 4*0 4*1' >"$folder/apart.p3d"
expect 0 "block ILU(0)" --help
expect 1 "--cells" --cells 3x3
expect 1 "not in" --case cylinder
expect 1 "Mach number must be positive" --mach -1
expect 2 "no attached shock" --angle 30 --cells 8x8x1 --steps 1
expect 1 "line 2: 'oops' is not a finite number" --grid-file "$folder/bad.p3d"
expect 1 "cell (0, 0, 0) is not positive" --grid-file "$folder/left_handed.p3d"
expect 1 "'wall' is not a boundary condition" --boundary jmin=wall --cells 8x8x1
expect 1 "relaxation is 2" --case plate --cells 8x8x1 --preconditioner ssor --relaxation 2
expect 1 "first cell must be between 0 and" --case plate --wall-cell 2
expect 1 "cannot be read" --grid-file "$folder/missing.p3d"
# Without libcgns it is another line.
printf 'no grid' >"$folder/none.cgns"
expect 1 "error: $folder/none.cgns: " --grid-file "$folder/none.cgns"
expect 1 "9 parts of 8 points along i" --parts 9x1x1 --cells 8x8x1
expect 1 "--parts" --parts 2
expect 1 "no coupling coloured" --parts 2x1x1 --cells 8x8x1 --coupling coloured --preconditioner jacobi
expect 1 "it is for one grid block, and there are 2" --parts 2x1x1 --cells 8x8x1 --preconditioner-parts 2x2x1
expect 1 "--preconditioner-parts" --preconditioner-parts 0
expect 1 "'2x' is not a number along i, j and k" --preconditioner-parts 2x
expect 2 "matrix stored as float" --storage float --cells 8x8x1 --steps 1
expect 2 "matrix stored as float, factors as half" --storage half --cells 8x8x1 --steps 1
expect 2 "matrix stored as float, factors as bfloat16" --storage bfloat16 --cells 8x8x1 --steps 1
expect 2 "matrix stored as float, factors as quarter" --storage quarter --cells 8x8x1 --steps 1
expect 2 "matrix stored as float, factors as quarter" --storage quarter --cells 8x8x1 --steps 1 --preconditioner ssor
expect 2 "--storage automatic: half" --storage automatic --cells 8x8x1 --steps 1 --preconditioner ssor --relaxation 1.2
expect 1 "--storage half, bfloat16, quarter and automatic are for bilu0 and ssor, not for lines" --storage quarter --cells 8x8x1 --preconditioner lines
expect 1 "folded directions have no factors of 8 bits" --storage quarter --cells 8x8x1 --folded i
expect 2 "--storage automatic: half" --storage automatic --cells 8x8x1 --steps 1
expect 2 "--storage automatic: half" --storage automatic --cells 8x8x1 --steps 1 --folded i
expect 2 "--storage automatic: bfloat16" --storage automatic --parts 2x1x1 --coupling coloured --cells 8x8x1 --steps 1
expect 1 "not for --preconditioner-parts" --storage automatic --cells 8x8x1 --preconditioner-parts 2x1x1
expect 1 "no coupling coloured" --storage quarter --parts 2x1x1 --cells 8x8x1 --coupling coloured
expect 2 "BILU(0), automatic parts coupled: coloured" --preconditioner-parts automatic --coupling coloured --cells 8x8x1 --steps 1
expect 2 "BILU(0), 4 parts coupled: coloured" --preconditioner-parts 4 --coupling coloured --cells 8x8x1 --steps 1
expect 1 "'2' is no grid block: there are 2" --parts 2x1x1 --cells 8x8x1 --boundary 2:jmin=slip_wall
expect 1 "it is for the wedge" --adjoint --case box --cells 8x8x1
expect 1 "it is for one grid block, and there are 4" --adjoint --cells 8x8x1 --parts 2x2x1
expect 2 "no gradient" --adjoint --cells 8x8x1 --steps 1
expect 0 "by the Mach number" --adjoint --cells 8x8x1
expect 2 "not steady after 1 steps" --cells 8x8x1 --steps 1
expect 2 "interfaces where grid blocks meet: 4" --cells 8x8x1 --steps 1 --parts 2x2x1
# The free stream flows through it from the beginning.
expect 0 "warning: no grid block meets another" --grid-file "$folder/apart.p3d" --steps 1

((failures == 0)) || exit 1
