// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

/// How reductions run: `automatic` takes the fastest that the execution space has, every other choice is taken at its
/// word.
enum class ReductionPath {
  automatic,
  portable,       ///< Kokkos alone: partial results, and launches that join them; every execution space
  single_launch,  ///< the last thread block to finish joins what all have found; CUDA
};

constexpr const char* name(ReductionPath path) {
  switch (path) {
    case ReductionPath::automatic: return "automatic";
    case ReductionPath::portable: return "portable";
    case ReductionPath::single_launch: return "single_launch";
  }
  return "unknown";
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
