#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles CUDA code with plain nvcc: compile_cuda.sh headers | kokkos ROOT | kernels: every header that holds some and needs
# no Kokkos by itself; unit tests that only a Kokkos with CUDA has, with the headers of the Kokkos in a private root, for
# errors of syntax and types, but not whether devices call functions of hosts; or all kernels for a few block sizes and for
# each compute capability of docs/gpus.md. Called by `run test` where there is an nvcc.
set -euo pipefail

usage() {
  printf 'compile_cuda.sh: %s; usage: compile_cuda.sh headers | kokkos ROOT | kernels\n' "$1" >&2
  exit 2
}
[[ ${1:-} =~ ^(headers|kokkos|kernels)$ ]] || usage "'${1:-}' is nothing to compile"

printf '\n== CUDA kernels with %s (%(%H:%M:%S)T)\n' "$(nvcc --version | tail -n 1)" -1
export out=build/cuda-kernels
mkdir -p "$out"
main=90
# Capabilities for which the library has the same code are compiled together: only the first one's is made from the source.
others=("75" "80 89" "100 120")

# compile kernels CAPABILITY, compile device CAPABILITY ... (without the host's part, which is the same for all), both with
# little optimization, which takes less than half the time, compile header HEADER CAPABILITY (as far as the front end and
# its errors go), or compile kokkos FILE CAPABILITY, the same of a file with Kokkos.
compile() {
  local flags=(-std=c++20 -Iinclude -Xcompiler=-Wall,-Wextra,-Werror -Werror=all-warnings)
  local quickly=(-Xcicc -O1 -Xptxas -O1)
  case $1 in
    kernels) nvcc "${flags[@]}" "${quickly[@]}" -arch="sm_$2" -c unit_tests/cuda/kernels.cu -o "$out/kernels_$2.o" ;;
    device)
      local capability
      for capability in "${@:2}"; do flags+=(-gencode "arch=compute_$2,code=sm_$capability"); done
      nvcc "${flags[@]}" "${quickly[@]}" -fatbin unit_tests/cuda/kernels.cu -o "$out/kernels_$2.fatbin"
      ;;
    header)
      local name=${2#include/}
      local file=$out/${name//\//_}
      printf '#include <%s>\n' "$name" >"$file.cu"
      nvcc "${flags[@]}" -arch="sm_$3" -ptx "$file.cu" -o "$file.ptx"
      ;;
    kokkos)
      local include
      local with=(-x cu -extended-lambda -expt-relaxed-constexpr -Xcompiler=-fopenmp -DKOKKOS_DEPENDENCE -Iunit_tests -I.)
      while read -r include; do with+=(-isystem "$include"); done <"$out/kokkos/folders"
      nvcc "${flags[@]}" "${with[@]}" -arch="sm_$3" -fdevice-syntax-only -ptx "$2" -o "$out/${2//\//_}.ptx"
      ;;
  esac || {
    printf 'compile_cuda.sh: %s does not compile\n' "$*" >&2
    return 1
  }
}
export -f compile

# in_parallel JOB ...: the arguments of compile, the long ones first.
in_parallel() { printf '%s\n' "$@" | xargs -P "$(nproc)" -I '{}' bash -c 'compile {}'; }

# configure_kokkos ROOT: the folders of headers for compile kokkos, a line each in $out/kokkos/folders.
# The Kokkos of the root is for hosts: with its configuration changed to one for CUDA, its headers are those of CUDA, too.
configure_kokkos() {
  local root=$1/usr here=$out/kokkos file name
  [[ -f $root/include/kokkos/KokkosCore_config.h ]] || usage "no Kokkos in the root '$1'"
  if [[ $(nvcc --help) != *-fdevice-syntax-only* ]]; then
    printf 'compile_cuda.sh: this nvcc has no -fdevice-syntax-only; an nvcc 13.0 has\n' >&2
    exit 1
  fi
  rm -rf "$here"
  mkdir -p "$here/desul/atomics" "$here/tests"
  sed -E 's,/\* #undef (KOKKOS_ENABLE_CUDA|KOKKOS_ARCH_HOPPER|KOKKOS_ARCH_HOPPER90) \*/,#define \1,' \
    "$root/include/kokkos/KokkosCore_config.h" >"$here/KokkosCore_config.h"
  sed -E 's,/\* #undef (DESUL_ATOMICS_ENABLE_CUDA) \*/,#define \1,' \
    "$root/include/kokkos/desul/atomics/Config.hpp" >"$here/desul/atomics/Config.hpp"
  for file in "Declare decl/Kokkos_Declare_CUDA" "Fwd fwd/Kokkos_Fwd_CUDA" "Setup setup/Kokkos_Setup_Cuda"; do
    name=KokkosCore_Config_${file% *}Backend.hpp
    sed "s,^#endif,#include <${file#* }.hpp>\n&," "$root/include/kokkos/$name" >"$here/$name"
  done
  if ! grep -q '^#define KOKKOS_ENABLE_CUDA$' "$here/KokkosCore_config.h" ||
    ! grep -q '^#define DESUL_ATOMICS_ENABLE_CUDA$' "$here/desul/atomics/Config.hpp"; then
    printf 'compile_cuda.sh: the configuration of Kokkos in %s is not as it was with Kokkos 5.2: see how it is changed here\n' "$root" >&2
    exit 1
  fi
  # Of the root's other headers, those of the tests: it has another C library than this machine.
  ln -s "$(realpath "$root/include/gtest")" "$(realpath "$root/include/gmock")" "$here/tests/"
  printf '%s\n' "$here" "$here/tests" "$root/include/kokkos" "$root"/lib/*/openmpi/include >"$here/folders"
}

# An older or newer nvcc knows fewer of them.
known=" $(nvcc --list-gpu-code | tr '\n' ' ')"
if [[ $known != *" sm_$main "* ]]; then
  printf 'compile_cuda.sh: this nvcc does not compile for compute capability %s; it knows%s\n' "${main%?}.${main: -1}" "$known" >&2
  exit 1
fi

if [[ $1 == headers ]]; then
  # Headers that put the kernels into Kokkos need a Kokkos with CUDA.
  mapfile -t headers < <(find include/hyperplane \( -path '*/cuda/*.hpp' -o -name '*_cuda*.hpp' \) -exec grep -LE '<Kokkos_' {} + | sort)
  jobs=("${headers[@]/#/header }")
  in_parallel "${jobs[@]/%/ $main}"
  printf '%d CUDA headers compile alone\n' "${#headers[@]}"
  exit
fi

if [[ $1 == kokkos ]]; then
  configure_kokkos "${2:-}"
  files=(unit_tests/{blocks/test_blocks_on_devices,mpi/test_distributed_devices,ilu/test_block_ilu0,ilu/test_block_ilu0_csr,swept/test_swept}_cuda.cpp
    unit_tests/ilu/test_block_ilu0_on_devices.cpp)
  jobs=("${files[@]/#/kokkos }")
  in_parallel "${jobs[@]/%/ $main}"
  printf '%d files with Kokkos and CUDA have no errors\n' "${#files[@]}"
  exit
fi

jobs=("kernels $main")
compiled=("${main%?}.${main: -1}")
for group in "${others[@]}"; do
  together=
  for capability in $group; do
    name=${capability%?}.${capability: -1}
    if [[ $known == *" sm_$capability "* ]]; then
      together+=" $capability"
      compiled+=("$name")
    else
      printf 'this nvcc does not compile for compute capability %s, which is left out\n' "$name"
    fi
  done
  [[ -z $together ]] || jobs+=("device$together")
done
in_parallel "${jobs[@]}"

# What kernels.cu does not use was not compiled.
missing=0
for kernel in $(grep -hrPzo '__global__ void(\s+__launch_bounds__(\((?:[^()]|(?2))*\)))?\s+\w+(?=\()' include | tr '\0' '\n' | grep -oP '\w+$' | sort -u); do
  if ! grep -q "$kernel" "$out/kernels_$main.o"; then
    printf 'compile_cuda.sh: kernels.cu does not use %s\n' "$kernel" >&2
    missing=1
  fi
done
((missing == 0))
printf 'kernels.cu compiles for compute capability %s\n' "${compiled[*]}"
