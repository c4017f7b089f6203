// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/detail/colour_lists.hpp>
#include <hyperplane/core/abi.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A status, and a number that rises in the order in which a factorization looks at couplings and grid blocks.
template <class Status>
struct BlockFailure {
  Status status{};
  std::int64_t place = 0;
};

/// The first failure in the order of the factorization: of RankedBlocks, whose status is status_of(number), and of what
/// couples them. Waits for the instance.
template <class Status, class Exec, class Blocks, class StatusOf>
BlockFailure<Status> first_failure(const Exec& exec, const Blocks& blocks, const std::optional<FaceFailure>& face,
                                   const StatusOf& status_of) {
  auto const face_fails = [&](int rank, bool upper) { return face && face->rank == rank && face->upper == upper; };
  // What is coupled has a FactorStatus.
  constexpr bool couples = std::is_base_of_v<FactorStatus, Status>;
  for (int rank = 0; rank < blocks.ranks(); ++rank) {
    // Couplings to lower colours, the grid blocks of a colour, couplings to higher ones.
    int const place = 3 * rank;
    if constexpr (couples) {
      if (face_fails(rank, false)) return {{face->status, face->block}, place};
    }
    if (auto const b = blocks.failed(exec, rank)) return {status_of(*b), place + 1};
    if constexpr (couples) {
      if (face_fails(rank, true)) return {{face->status, face->block}, place + 2};
    }
  }
  return {};
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
