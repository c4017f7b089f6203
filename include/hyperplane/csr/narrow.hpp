// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/narrow_values.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// "block of row 3 and column 7". Waits for the instance.
template <class Exec, class Matrix>
std::string describe_csr_block(const Exec& exec, const Matrix& a, std::int64_t block) {
  auto const offsets = to_vector(exec, a.offsets());
  auto const columns = to_vector(exec, a.columns());
  using Offset = typename Matrix::offset_type;
  auto const row = std::ranges::upper_bound(offsets, static_cast<Offset>(block)) - offsets.begin() - 1;
  return "block of row " + std::to_string(row) + " and column " + std::to_string(columns[as_size(block)]);
}

/// copy = a of the same structure, and what overflows, in words; empty where nothing does. Waits for the instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Offset, class Narrow>
std::string narrow_blocks(const Exec& exec, const BlockCsr<Scalar, n, Exec, Storage, Offset>& a,
                          const BlockCsr<Scalar, n, Exec, Narrow, Offset>& copy) {
  auto const found = narrow_values(exec, "Hyperplane::BlockCsr::narrow", a.values(), copy.values());
  if (!found) return {};
  auto const entry = static_cast<int>(found->index % (n * n));
  return describe_csr_block(exec, a, found->index / (n * n)) + ": " + describe_overflow(entry / n, entry % n, *found);
}

}  // namespace detail

/// copy = A, rounded to a narrower storage type, where both have the same structure: for NarrowedMatrix, and for
/// factorizations that are to read less. What is not finite in A is not in the copy. Throws Error where a value that is
/// finite overflows, and names the first one; and where the copy has another number of rows or blocks. Values that are
/// too small become zero.
///
/// One launch, which reads the values of A once and writes those of the copy once; waits for the instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Offset, class Narrow>
void narrow(const Exec& exec, const BlockCsr<Scalar, n, Exec, Storage, Offset>& a,
            const BlockCsr<Scalar, n, Exec, Narrow, Offset>& copy) {
  if (copy.rows() != a.rows() || copy.blocks() != a.blocks()) {
    fail("narrow: the copy has " + std::to_string(copy.rows()) + " rows and " + std::to_string(copy.blocks()) +
         " blocks, expected " + std::to_string(a.rows()) + " and " + std::to_string(a.blocks()));
  }
  auto const overflow = detail::narrow_blocks(exec, a, copy);
  if (!overflow.empty()) fail("narrow: " + overflow);
}

/// A copy of A, rounded to `Narrow`, that shares its structure; see narrow(). Allocates its values.
template <class Narrow, class Scalar, int n, ExecutionSpace Exec, class Storage, class Offset>
BlockCsr<Scalar, n, Exec, Narrow, Offset> narrowed(const Exec& exec,
                                                   const BlockCsr<Scalar, n, Exec, Storage, Offset>& a) {
  using Copy = BlockCsr<Scalar, n, Exec, Narrow, Offset>;
  Copy const copy(
      a.offsets(), a.columns(),
      typename Copy::Values(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::BlockCsr::narrowed"),
                            a.values().size()));
  narrow(exec, a, copy);
  return copy;
}

/// The first block of the copy that is not that of A, rounded, in words; empty where all are. For solves with a
/// NarrowedMatrix that fail. Reads the values of A and of the copy once, and waits for the instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Offset, class Narrow>
std::string describe_other_copy(const Exec& exec, const BlockCsr<Scalar, n, Exec, Storage, Offset>& a,
                                const BlockCsr<Scalar, n, Exec, Narrow, Offset>& copy) {
  auto const found = detail::find_other_value(exec, "Hyperplane::BlockCsr::other_copy", a.values(), copy.values());
  return found ? detail::describe_other_block(detail::describe_csr_block(exec, a, *found / (n * n))) : std::string();
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
