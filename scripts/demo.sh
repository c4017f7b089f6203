#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs a demo: demo.sh wedge|airfoil. Called by `run demo`.
set -euo pipefail

case=${1:?wedge or airfoil}
# The wedge is solved by one process: what ranks need is not compiled.
without_mpi=ON
output=demo-output
if [[ $case == airfoil ]]; then
  without_mpi=OFF
  output=demo-output/airfoil
fi
log=build/demo.log
mkdir -p build "$output"
echo "building the flow solver (log in $log)"
{ cmake --preset openmp-release -DHYPERPLANE_BUILD_TESTS=OFF -DHYPERPLANE_BUILD_PERF_TESTS=OFF \
  -DHYPERPLANE_BUILD_C=OFF -DHYPERPLANE_BUILD_TOOLS=OFF "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=$without_mpi" -B build/demo &&
  cmake --build build/demo --target implicit_flow; } >"$log" 2>&1 || {
  tail -n 20 "$log" >&2
  echo "demo.sh: error: the build failed; see $log" >&2
  exit 1
}
examples/implicit_flow/demo.sh build/demo "$output" "$case"
