// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <array>

namespace hyperplane::inline HYPERPLANE_ABI {

/// How SipIteration runs. `automatic` takes the fastest path of the execution space. Every other choice is taken at its
/// word, and throws Error where the execution space cannot run it.
enum class SipIterationPath {
  automatic,
  portable,  ///< Kokkos alone: one launch for each hyperplane and sweep; every execution space
  slab,      ///< one kernel for all iterations, along slabs; CUDA
};

/// Every choice there is.
inline constexpr std::array<SipIterationPath, 3> sip_iteration_paths{
    SipIterationPath::automatic, SipIterationPath::portable, SipIterationPath::slab};

constexpr const char* name(SipIterationPath path) {
  switch (path) {
    case SipIterationPath::automatic: return "automatic";
    case SipIterationPath::portable: return "portable";
    case SipIterationPath::slab: return "slab";
  }
  return "unknown";
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
