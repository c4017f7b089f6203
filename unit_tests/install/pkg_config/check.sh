#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds a program with what pkg-config says, runs it, and compares what it writes: check.sh PACKAGE COMPILER SOURCE
# EXPECTED [LAUNCHER ...]. With "-" as EXPECTED it writes nothing. PKG_CONFIG_PATH says where the package is.
set -euo pipefail

package=$1 compiler=$2 source=$3 expected=$4
shift 4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
read -ra flags < <(pkg-config --cflags "$package")
read -ra libraries < <(pkg-config --libs "$package")
library_path=$(pkg-config --variable=libdir "$package")
"$compiler" "${flags[@]}" "$source" -o "$folder/consumer" "${libraries[@]}" "-Wl,-rpath,$library_path"
if [[ $expected == - ]]; then
  "$@" "$folder/consumer"
else
  "$@" "$folder/consumer" "$folder/bits.txt"
  cmp "$folder/bits.txt" "$expected"
fi
