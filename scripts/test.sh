#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs the tests with the Kokkos of this environment: test.sh openmp | serial. Called by `run test`.
set -euo pipefail

# build_and_test PRESET [CMAKE ARGUMENT ...]
build_and_test() {
  local preset=$1
  shift
  printf '\n== %s\n' "$preset"
  cmake --preset "$preset" -DHYPERPLANE_WERROR=ON "$@"
  cmake --build --preset "$preset"
  ctest --preset "$preset" --output-on-failure
}

case "${1:?openmp or serial}" in
  openmp)
    scripts/format.sh --check
    build_and_test openmp-release
    # Every header compiles alone.
    cmake --build --preset openmp-release --target all_verify_interface_header_sets
    build_and_test openmp-sanitize
    ;;
  serial)
    # The unit tests of the solvers have all block sizes; the compiled library was tested with all of them above.
    build_and_test serial-release '-DHYPERPLANE_BLOCK_SIZES=1;2;5'
    ;;
esac
