#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs the benchmarks. Called by `run bench`, whose arguments are passed to perf_tests/run_all.
set -euo pipefail

log=build/bench.log
mkdir -p build
echo "building the benchmarks (log in $log)"
{ cmake --preset openmp-release -DHYPERPLANE_BUILD_TESTS=OFF -DHYPERPLANE_BUILD_EXAMPLES=OFF \
  -DHYPERPLANE_BUILD_C=OFF -DHYPERPLANE_BUILD_TOOLS=OFF -B build/bench &&
  cmake --build build/bench; } >"$log" 2>&1 || {
  tail -n 20 "$log" >&2
  echo "bench.sh: error: the build failed; see $log" >&2
  exit 1
}
perf_tests/run_all --build build/bench --output bench-output "$@"
