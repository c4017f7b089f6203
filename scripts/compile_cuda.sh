#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles the CUDA kernels with plain nvcc, without Kokkos: every header that holds some by itself, then all kernels for
# a few block sizes. Called by `run test` where there is an nvcc.
set -euo pipefail

printf '\n== CUDA kernels with %s\n' "$(nvcc --version | tail -n 1)"
out=build/cuda-kernels
mkdir -p "$out"
flags=(-std=c++20 -arch=sm_90 -Iinclude -Xcompiler=-Wall,-Wextra,-Werror -Werror=all-warnings)

# Headers that put the kernels into Kokkos need a Kokkos with CUDA.
mapfile -t headers < <(grep -LE '<Kokkos_' include/hyperplane/cuda/*.hpp include/hyperplane/{cfd,ilu,line,sip,stencil,swept}/detail/*_cuda*.hpp)
compile_alone() {
  local name=${1#include/}
  printf '#include <%s>\n' "$name" >"$out/${name//\//_}.cu"
  nvcc "${flags[@]}" -c "$out/${name//\//_}.cu" -o "$out/${name//\//_}.o"
}
for header in "${headers[@]}"; do compile_alone "$header"; done
nvcc "${flags[@]}" -c unit_tests/cuda/kernels.cu -o "$out/kernels.o"
printf '%d CUDA headers compile alone, kernels.cu compiles\n' "${#headers[@]}"
