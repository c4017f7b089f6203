#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs the benchmarks. Called by `run bench`, whose arguments are passed to perf_tests/run_all.
set -euo pipefail

cmake --preset openmp-release -DHYPERPLANE_BUILD_TESTS=OFF -DHYPERPLANE_BUILD_EXAMPLES=OFF -B build/bench
cmake --build build/bench
perf_tests/run_all --build build/bench --output bench-output "$@"
