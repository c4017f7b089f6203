// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/sweep/comparison_paths.hpp>

#include <Kokkos_Core.hpp>
#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/ilu/comparison/make_comparison_ilu0_cuda.hpp>
#endif

/// with_comparison_path() for BlockIlu0.
