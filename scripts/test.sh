#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs tests with the Kokkos of this environment: test.sh quick | quick-before-rest | rest | serial. Called by
# `run test`.
set -euo pipefail
source scripts/stages.sh

# build PRESET [CMAKE ARGUMENT ...]
build() {
  local preset=$1
  shift
  stage "$preset: build"
  cmake --preset "$preset" -DHYPERPLANE_WERROR=ON "$@"
  cmake --build --preset "$preset"
}

# run_tests PRESET [CTEST ARGUMENT ...]
run_tests() { ctest --preset "$1" --no-tests=error --output-on-failure --parallel "$(nproc)" "${@:2}"; }

# with_clang: in clang, what makes CMake compile with Clang; nothing where it is not installed.
with_clang() {
  clang=()
  if command -v clang++-19 >/dev/null; then
    clang=(-DCMAKE_C_COMPILER=clang-19 -DCMAKE_CXX_COMPILER=clang++-19)
  else
    echo "test.sh: clang++-19 is not installed; $1 with CMake's compiler"
  fi
}

case "${1:?quick, quick-before-rest, rest or serial}" in
  quick | quick-before-rest)
    stage "sources"
    scripts/format.sh --check
    scripts/check_floors.py
    scripts/check_sizes.py
    scripts/performance_page.py --check
    scripts/performance_cards.py --check
    scripts/test_performance_cards.py
    scripts/scaling_page.py --check
    scripts/test_scaling_page.py
    scripts/test_run.sh
    # What "rest" runs with optimization, with the same compiler and Kokkos, is not compiled without before. It also has the
    # tests of every block size, with sanitizers.
    if [[ $1 == quick ]]; then
      build openmp-test
      stage "openmp-test: tests"
      run_tests openmp-test
    else
      build openmp-test -DHYPERPLANE_OPTIMIZED=APART -DHYPERPLANE_TEST_ALL_SIZES=OFF
      stage "openmp-test: tests"
      run_tests openmp-test --label-exclude '^optimized$'
    fi
    ;;
  rest)
    # Clang finds what GCC does not, and compiles with sanitizers in an eighth of GCC's time. Without optimization they
    # see every access.
    with_clang sanitizers
    # What reads sources first, which takes less time than what builds them.
    stage "every header alone"
    cmake --preset openmp-sanitize -DHYPERPLANE_WERROR=ON "${clang[@]}"
    scripts/check_headers.py build/openmp-sanitize
    stage "clang-tidy"
    scripts/tidy.sh build/openmp-sanitize
    if fits "sanitizers, and every block size" "openmp-sanitize: build" "openmp-sanitize: tests"; then
      build openmp-sanitize "${clang[@]}"
      stage "openmp-sanitize: tests"
      run_tests openmp-sanitize
    fi
    # With the block sizes of the quick tests; kernels of all sizes are in the unit tests. Kernels that are written in
    # vectors are as fast with -O2 as with -O3, in two thirds of the time.
    if fits "optimization, and the compiled library with it" "openmp-optimized: build" "openmp-optimized: tests"; then
      stage "openmp-optimized: build"
      cmake --preset openmp-release -DHYPERPLANE_WERROR=ON '-DHYPERPLANE_BLOCK_SIZES=1;2;5' \
        '-DCMAKE_CXX_FLAGS_RELEASE=-O2 -DNDEBUG' -DHYPERPLANE_BUILD_PERF_TESTS=OFF -DHYPERPLANE_OPTIMIZED=ALONE \
        -DHYPERPLANE_EXTRA_PRECONDITIONERS="$PWD/unit_tests/extra/preconditioners.hpp" -B build/openmp-optimized
      cmake --build build/openmp-optimized --target optimized_tests
      stage "openmp-optimized: tests"
      ctest --test-dir build/openmp-optimized --label-regex optimized --no-tests=error --output-on-failure --parallel "$(nproc)"
    fi
    # Benchmarks, whose smoke runs verify what they measure, in the folder of the quick tests.
    if fits "benchmarks" "openmp-test: benchmarks"; then
      stage "openmp-test: benchmarks"
      cmake --preset openmp-test -DHYPERPLANE_OPTIMIZED=APART -DHYPERPLANE_TEST_ALL_SIZES=OFF -DHYPERPLANE_BUILD_PERF_TESTS=ON
      cmake --build --preset openmp-test
      run_tests openmp-test --label-regex benchmark
    fi
    models="models of how threads wait for one another"
    if ! command -v spin >/dev/null || ! command -v cc >/dev/null; then
      not_checked "$models (spin and a C compiler are not both installed)"
    elif fits "$models" "$models"; then
      stage "$models"
      unit_tests/protocol/explore.py
    fi
    ;;
  serial)
    # With more ranks of MPI. Of programs of clients, those that have to find another Kokkos: the rest of what is installed
    # is the same. Clang compiles without optimization in half of GCC's time; no source asks for both the version of Kokkos
    # and the compiler.
    with_clang "the second Kokkos"
    build serial-test '-DHYPERPLANE_TEST_RANKS=1;2;3;4' -DHYPERPLANE_TEST_ALL_SIZES=OFF "${clang[@]}"
    stage "serial-test: tests"
    run_tests serial-test --label-exclude install
    run_tests serial-test --tests-regex '^install_(find_package|add_subdirectory)'
    # The benchmarks that use Kokkos Kernels, with GCC, which compiles this Kokkos too.
    stage "serial-benchmarks"
    cmake --preset serial-test -DHYPERPLANE_WERROR=ON -DHYPERPLANE_BUILD_PERF_TESTS=ON -B build/serial-benchmarks
    cmake --build build/serial-benchmarks --target bench_peers_kokkos_kernels bench_peers_kokkos_kernels_csr bench_primitives
    ctest --test-dir build/serial-benchmarks --tests-regex '^bench_(peers_kokkos_kernels(_csr)?|primitives)_smoke$' \
      --no-tests=error --output-on-failure --parallel "$(nproc)"
    ;;
esac
