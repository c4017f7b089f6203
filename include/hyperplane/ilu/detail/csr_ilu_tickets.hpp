// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Sweeps in one launch, on devices that have them.
template <class Scalar, int n, ExecutionSpace Exec>
class CsrIluTickets {
 public:
  static constexpr int rows_of_a_ticket = 0;

  CsrIluTickets(const Exec&, std::int64_t) {}
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
