#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A PETSc program takes the same iterations with Hyperplane's BILU(0) as with PETSc's ILU(0): check_client.sh PROGRAM
# LIBRARY BLOCK_SIZES. On two ranks too, where there is an mpirun of Open MPI.
set -euo pipefail

program=$1 library=$2
IFS=, read -ra sizes <<<"$3"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1

die() {
  echo "check_client.sh: $*" >&2
  exit 1
}

# expect_same WORDS OPTION...: Hyperplane's and PETSc's iterations are equal; WORDS come before the program.
expect_same() {
  local words=$1 ours theirs
  shift
  ours=$($words "$program" -dll_append "$library" "${@//PC/hyperplane}")
  theirs=$($words "$program" -options_left no "${@//PC/ilu}")
  [[ $ours == "solved in "*"solved in "* && $ours == "$theirs" ]] || die "$*: '$ours', and with PETSc's ILU '$theirs'"
}

# The first and the last; every start of MPI takes its time.
for n in "${sizes[0]}" "${sizes[-1]}"; do
  for type in aij baij; do
    expect_same "" -dof "$n" -dm_mat_type "$type" -pc_type PC
    expect_same "" -dof "$n" -dm_mat_type "$type" -pc_type bjacobi -sub_pc_type PC
  done
done
for kind in ssor sip lines jacobi; do
  "$program" -dll_append "$library" -pc_type hyperplane -pc_hyperplane_type "$kind" >/dev/null || die "$kind"
done

two="mpirun --map-by :OVERSUBSCRIBE -n 2"
if ! $two true 2>/dev/null; then
  echo "check_client.sh: no mpirun that works, or not Open MPI's: not tested on two ranks"
  exit 0
fi
# PETSc divides 12 x 9 x 7 points into parts of 6 x 9 x 7.
expect_same "$two" -da_processors_x 2 -da_processors_y 1 -da_processors_z 1 -pc_type bjacobi -sub_pc_type PC \
  -sub_pc_hyperplane_grid 6x9x7
! message=$($two "$program" -dll_append "$library" -pc_type hyperplane 2>&1) || die "two ranks are not refused"
[[ $message == *"-pc_type bjacobi -sub_pc_type hyperplane"* ]] || die "two ranks: $message"
