// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/swept/detail/swept_rows.hpp>
#include <hyperplane/swept/variant.hpp>

#include <array>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The variants of the swept rule beside the portable ones, for an execution space: a specialization says which there
/// are, holds what they need, and runs them, or throws Error. Without one there are none.
template <class Problem, class Exec>
class SweptFastPath {
 public:
  /// What SweptVariant::automatic stands for.
  static SweptVariant choose(std::int64_t /*points*/, const SweptOptions&) { return SweptVariant::shared; }
  static constexpr std::array<SweptVariant, 0> variants{};

  SweptFastPath(const Exec&, const Problem&, std::int64_t /*points*/, SweptVariant, const SweptOptions&) {}

  void advance(const Exec&, const SweptRows<Problem>&, std::int64_t /*levels*/) {
    fail("SweptRule: the execution space has the portable variants alone");
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
