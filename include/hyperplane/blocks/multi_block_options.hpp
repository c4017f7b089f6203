// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>

#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

template <class Options>
struct MultiBlockOptions {
  Coupling coupling = Coupling::none;
  /// With Coupling::coloured alone: the colour of each grid block, lower ones first; empty: find_colours().
  std::vector<int> colours{};
  /// Those of the preconditioner of a grid block.
  Options block{};
};

template <class P>
class MultiBlock;

namespace detail {

/// Throws Error where points of grid blocks that are coupled are not in natural order.
template <class Options>
void check_order([[maybe_unused]] const MultiBlockOptions<Options>& options) {
  if constexpr (requires { options.block.folded; }) {
    if (options.coupling == Coupling::none || !options.block.folded.any()) return;
    fail("MultiBlock: folded directions have no coupling " + std::string(name(options.coupling)) + ", but none alone");
  }
}

}  // namespace detail

}  // namespace hyperplane::inline HYPERPLANE_ABI
