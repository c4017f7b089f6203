#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Formats the C++ sources, or with --check says which are not formatted. Needs clang-format 19.
set -euo pipefail
cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.."

formatter=clang-format-19
if ! command -v "$formatter" >/dev/null; then
  if [[ ${1:-} == --check ]]; then
    echo "format.sh: $formatter is not installed; formatting not checked"
    exit 0
  fi
  echo "format.sh: error: $formatter is not installed" >&2
  exit 1
fi

mapfile -t files < <(find include src tools executables examples unit_tests perf_tests \
  \( -name "*.hpp" -o -name "*.h" -o -name "*.c" -o -name '*.cpp' -o -name '*.cu' \) -not -path '*/build/*' 2>/dev/null | sort)
if [[ ${1:-} == --check ]]; then
  "$formatter" --dry-run -Werror "${files[@]}"
  echo "format.sh: ${#files[@]} files are formatted"
else
  "$formatter" -i "${files[@]}"
fi
