// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/core/abi.hpp>

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

}  // namespace hyperplane::inline HYPERPLANE_ABI
