// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/line/line_set.hpp>

#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

struct LineImplicitOptions {
  /// Directions of the lines on a grid, taken in this order. Lists have lines of their own.
  std::vector<LineDirection> directions = {LineDirection::i};
  /// Sweeps through all directions.
  int sweeps = 1;
  /// w of the formula, 0 < w < 2.
  double relaxation = 1.0;
  /// Of LineImplicitCsr: lists for solve_transposed(), too. LineImplicit needs none.
  bool transposed = false;
  /// Of LineImplicitCsr in several sweeps: how many vectors solve() takes together at most, 1 to 8. One sweep takes any
  /// number of them.
  int vectors = 1;
};

namespace detail {

inline void check_options(const LineImplicitOptions& options) {
  require(!options.directions.empty(), "LineImplicit: there is no direction");
  if (options.sweeps < 1) {
    fail("LineImplicit: sweeps is " + std::to_string(options.sweeps) + ", expected 1 or more");
  }
  if (!(options.relaxation > 0 && options.relaxation < 2)) {
    fail("LineImplicit: relaxation is " + shortest(options.relaxation) + ", expected more than 0 and less than 2");
  }
  if (options.vectors < 1 || options.vectors > max_vectors) {
    fail("LineImplicit: vectors is " + std::to_string(options.vectors) + ", expected 1 to " +
         std::to_string(max_vectors));
  }
}

}  // namespace detail
}  // namespace hyperplane::inline HYPERPLANE_ABI
