// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/concepts.hpp>
#include <hyperplane/swept/detail/swept_rows.hpp>
#include <hyperplane/swept/variant.hpp>

#include <cstdint>

namespace hyperplane::detail {

/// The variants of the swept rule beside the portable ones, for an execution space: a specialization says which there
/// are, holds what they need, and runs them. Without one there are none.
template <class Problem, class Exec>
class SweptFastPath {
 public:
  /// What SweptVariant::automatic stands for.
  static SweptVariant choose(std::int64_t /*points*/, const SweptOptions&) { return SweptVariant::shared; }
  static bool has(SweptVariant) { return false; }

  SweptFastPath(const Exec&, const Problem&, std::int64_t /*points*/, SweptVariant, const SweptOptions&) {}

  void advance(const Exec&, const SweptRows<Problem>&, std::int64_t /*levels*/) {}
};

}  // namespace hyperplane::detail
