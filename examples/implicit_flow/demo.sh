#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The wedge, or the airfoil on two ranks of MPI, from solver to picture:
# demo.sh BUILD_FOLDER OUTPUT_FOLDER wedge|airfoil [OPTION...]
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
build=${1:?the build folder}
output=${2:?a folder for the results}
case=${3:?wedge or airfoil}
program=$build/examples/implicit_flow/implicit_flow

# Unbound threads share a busy machine best.
export OMP_PROC_BIND=${OMP_PROC_BIND:-false}

# The program, on two ranks where it was built with MPI.
command=("$program")
if [[ $case == airfoil ]]; then
  # That of the MPI that the program was built with.
  mpiexec=$(sed -n 's/^MPIEXEC_EXECUTABLE:[^=]*=//p' "$build/CMakeCache.txt")
  if [[ -x $mpiexec ]] && "$program" --help | grep -q mpirun; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 KOKKOS_DISABLE_WARNINGS=1
    command=("$mpiexec")
    # Open MPI starts no more ranks than there are cores, and binds each to one, unless it is told not to.
    if "$mpiexec" --version | grep -qE 'Open MPI|OpenRTE'; then command+=(--oversubscribe --bind-to none); fi
    command+=(-n 2 "$program" --threads "$((($(nproc) + 1) / 2))")
  else
    echo "no MPI: the airfoil is solved in one process"
  fi
  [[ " ${*:4} " == *" --cells "* ]] || command+=(--cells 192x192x1)
  command+=(--parts 2x1x1)
fi
"${command[@]}" --case "$case" --output "$output" "${@:4}"
if python3 -c 'import matplotlib' 2>/dev/null; then
  python3 "$here/plot.py" "$output"
else
  echo "no picture: python3 has no matplotlib"
fi
