# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# shellcheck shell=bash
# Stages of `run test`, where its time goes, and what it could not check. Sourced by `run` and scripts/test.sh, in the repository.

# A line for each stage: when it began, in seconds since 1970, and its name.
readonly stages=build/stages
# A line for each thing that could not be checked.
readonly unchecked=build/unchecked

# stage NAME: what comes next, and when it began.
stage() {
  printf '\n== %s (%(%H:%M:%S)T)\n' "$1" -1
  mkdir -p "${stages%/*}"
  printf '%(%s)T %s\n' -1 "$1" >>"$stages"
}

# stage_seconds: one line with the seconds of all stages since the list was begun.
stage_seconds() {
  printf '%(%s)T end\n' -1 >>"$stages"
  awk '{
    if (NR == 1) first = $1
    else line = line sprintf("%s %d, ", name, $1 - last)
    last = $1
    name = substr($0, index($0, " ") + 1)
  }
  END { printf "seconds: %sall %d\n", line, last - first }' "$stages"
}

# About how many seconds stages take, on a machine where all take two and a half hours: others take about a multiple of them.
# Of the packages and the first build, the network and what was compiled before decide.
declare -rA usual_seconds=(
  [sources]=31 ["openmp-test: tests"]=410 ["CUDA headers"]=75 ["every header alone"]=230 [clang-tidy]=412
  ["openmp-sanitize: build"]=1860 ["openmp-sanitize: tests"]=1080 ["openmp-optimized: build"]=1400
  ["openmp-optimized: tests"]=200 ["openmp-test: benchmarks"]=450 ["models of how threads wait for one another"]=180
  ["serial-test: build"]=1500 ["serial-test: tests"]=350 [serial-benchmarks]=300 ["CUDA kernels"]=600 ["CUDA code that needs Kokkos"]=85
)

# fits WHAT STAGE ...: whether there is time for these stages, all of them: `run test --minutes` says in HYPERPLANE_MINUTES
# when to have ended, and those of the table that have ended how fast this machine is. Where there is not, WHAT is not
# checked.
fits() {
  [[ -n ${HYPERPLANE_MINUTES:-} ]] || return 0
  local now seconds name first="" began=0 last=none spent=0 usual=0 next=0
  printf -v now '%(%s)T' -1
  while read -r seconds name; do
    first=${first:-$seconds}
    # Builds take less where much of them was compiled before.
    if [[ -n ${usual_seconds[$last]:-} && $last != *build ]]; then
      spent=$((spent + seconds - began))
      usual=$((usual + usual_seconds[$last]))
    fi
    began=$seconds last=$name
  done < <(cat "$stages" && echo "$now end")
  for name in "${@:2}"; do next=$((next + ${usual_seconds[$name]})); done
  if ((usual > 0 && now - first + next * spent / usual > 60 * HYPERPLANE_MINUTES)); then
    not_checked "$1 (too long for $HYPERPLANE_MINUTES minutes on this machine)"
    return 1
  fi
}

# not_checked WHAT: says so, here and at the end.
not_checked() {
  printf 'not checked: %s\n' "$*"
  mkdir -p "${unchecked%/*}"
  printf '%s\n' "$*" >>"$unchecked"
}

# closing_line: that all tests passed, and what was not checked.
closing_line() {
  local line="all tests passed" what
  if [[ -s $unchecked ]]; then
    line+="; NOT CHECKED:"
    while read -r what; do line+=" $what;"; done <"$unchecked"
  fi
  printf '%s\n' "${line%;}"
}
