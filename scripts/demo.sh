#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs the demo. Called by `run demo`.
set -euo pipefail

log=build/demo.log
mkdir -p build demo-output
echo "building the flow solver (log in $log)"
{ cmake --preset openmp-release -DHYPERPLANE_BUILD_TESTS=OFF -DHYPERPLANE_BUILD_PERF_TESTS=OFF \
  -DHYPERPLANE_BUILD_C=OFF -DHYPERPLANE_BUILD_TOOLS=OFF -B build/demo &&
  cmake --build build/demo --target implicit_flow; } >"$log" 2>&1 || {
  tail -n 20 "$log" >&2
  echo "demo.sh: error: the build failed; see $log" >&2
  exit 1
}
examples/implicit_flow/demo.sh build/demo demo-output
