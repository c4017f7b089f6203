#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests what `run` makes of its arguments, and that CMake works where its commands run as README has it, without the name
# of a generator. Called by scripts/test.sh.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

fail() {
  echo "test_run.sh: error: $*" >&2
  exit 1
}

# expect_refused MESSAGE ARGUMENT ...
expect_refused() {
  local message=$1 output
  shift
  ! output=$(./run "$@" 2>&1 </dev/null) || fail "./run $* is not refused"
  [[ ${output##*$'\n'} == "run: error: $message" ]] || fail "./run $* says: $output"
}

expect_refused "'tset' is not a command" tset
expect_refused "'--serial' is not understood; ./run help says what there is" test --serial
expect_refused "'more' is not understood; ./run help says what there is" test --all more
expect_refused "--minutes wants a number of minutes, 1 to 99999: ./run test --all --minutes 82" test --all --minutes
expect_refused "--minutes wants a number of minutes, 1 to 99999: ./run test --all --minutes 82" test --all --minutes 1.5
expect_refused "'--minutes' is not understood; ./run help says what there is" test --minutes 82
expect_refused "'quickly' is not understood; ./run help says what there is" demo quickly
expect_refused "'wedge' is not understood; ./run help says what there is" demo airfoil wedge
expect_refused "'cmake' is not understood; ./run help says what there is" shell cmake
expect_refused "'more' is not understood; ./run help says what there is" shell --serial -c true more
expect_refused "-c wants a command: ./run shell -c 'cmake --version'" shell -c
[[ $(./run help) == "$(./run)" ]] || fail "./run alone gives no help"

# expect_closing LINE WHAT ...: the last line of a run that could not check these.
expect_closing() {
  local found
  found=$(
    cd "$build"
    source "$OLDPWD/scripts/stages.sh"
    for what in "${@:2}"; do not_checked "$what" >/dev/null; done
    closing_line
  )
  [[ $found == "$1" ]] || fail "the closing line is: $found"
}

build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
expect_closing "all tests passed"
expect_closing "all tests passed; NOT CHECKED: models (no spin); kernels" "models (no spin)" kernels
# expect_fits yes|no MINUTES: whether two stages fit in so many minutes after one that took as long as usual, and one
# that says nothing about the machine and took no time.
expect_fits() {
  local found=no
  if (
    cd "$build"
    source "$OLDPWD/scripts/stages.sh"
    mkdir -p build
    began=$(($(date +%s) - usual_seconds[clang-tidy]))
    printf '%s\n' "$began openmp-sanitize: build" "$began packages" "$began clang-tidy" >"$stages"
    HYPERPLANE_MINUTES=$2 fits "these" clang-tidy clang-tidy >/dev/null
  ); then found=yes; fi
  [[ $found == "$1" ]] || fail "three stages of clang-tidy fit in '$2' minutes: $found"
}
minutes=$(source scripts/stages.sh && echo $((3 * usual_seconds[clang-tidy] / 60)))
expect_fits yes $((minutes + 1))
expect_fits no $((minutes - 1))
expect_fits yes ""
log=$build/log
cmake --preset headers -B "$build/headers" >"$log" 2>&1 || fail "cmake --preset headers: $(cat "$log")"
cmake --build "$build/headers" >"$log" 2>&1 || fail "cmake --build: $(cat "$log")"
# In a private root, which says so to Open MPI, ranks start as the pages have it.
if [[ ${OMPI_MCA_btl:-} == self,sm ]] && command -v mpirun >/dev/null; then
  mpirun -n 1 true >"$log" 2>&1 || fail "mpirun: $(cat "$log")"
fi
echo "test_run.sh: run and plain CMake work"
