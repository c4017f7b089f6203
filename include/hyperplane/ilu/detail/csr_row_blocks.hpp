// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The numbers of the blocks of a row of a BlockCsr.
struct CsrRowBlocks {
  std::int64_t begin;
  std::int64_t end;

  HYPERPLANE_FUNCTION std::int64_t count() const { return end - begin; }
};

/// Those that A has, whatever was written to its offsets: a factorization that finds other ones than those of its plan
/// says so at its end, and until then reads nothing outside of A.
template <class MatrixRef>
HYPERPLANE_FUNCTION CsrRowBlocks blocks_of_row(const MatrixRef& a, std::int64_t row) {
  auto const within = [](std::int64_t value, std::int64_t least, std::int64_t most) {
    return value < least ? least : value > most ? most : value;
  };
  auto const begin = within(a.begin(row), 0, a.blocks());
  return {begin, within(a.end(row), begin, a.blocks())};
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
