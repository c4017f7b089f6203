// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/detail/colour_lists.hpp>
#include <hyperplane/blocks/detail/coloured_factor_kernels.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The diagonal blocks of A, of points from whose blocks a factorization subtracts: as they were, until the last stage
/// of their grid block is done.
template <class Scalar, int n, ExecutionSpace Exec, int vector_length>
class KeptDiagonals {
  using Lists = ColourLists<Exec, vector_length>;
  using Range = typename Lists::Range;

 public:
  KeptDiagonals(const Exec& exec, std::size_t points)
      : m_values(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::MultiBlock::diagonals"),
                 points * n * n) {}

  /// Those of the points of a range, as wide as those of A, which are no wider than Scalar.
  template <class MatrixStorage>
  MatrixStorage* of(const Range& range) const {
    return reinterpret_cast<MatrixStorage*>(m_values.data()) + range.begin * n * n;
  }

  /// Gives A those of the first stages back, of grid blocks of which one is the last.
  template <class MatrixStorage>
  void restore(const Exec& exec, const Lists& lists, int stages, int last_stage, MatrixStorage* a) const {
    restore_if(exec, lists, stages, a, [&](const Range& range) { return range.last_stage == last_stage; });
  }
  /// The same of the first ranges of a stage.
  template <class MatrixStorage>
  void restore_first(const Exec& exec, const Lists& lists, int stage, std::size_t ranges, MatrixStorage* a) const {
    for (std::size_t r = 0; r < ranges; ++r) restore_range(exec, lists, lists.lower_ranges(stage)[r], a);
  }
  /// The same of all grid blocks that were not done before the last of these stages.
  template <class MatrixStorage>
  void restore_open(const Exec& exec, const Lists& lists, int stages, MatrixStorage* a) const {
    restore_if(exec, lists, stages, a, [&](const Range& range) { return range.last_stage >= stages - 1; });
  }

 private:
  template <class MatrixStorage, class Counts>
  void restore_if(const Exec& exec, const Lists& lists, int stages, MatrixStorage* a, const Counts& counts) const {
    for (int stage = 0; stage < stages; ++stage) {
      for (auto const& range : lists.lower_ranges(stage)) {
        if (counts(range)) restore_range(exec, lists, range, a);
      }
    }
  }
  template <class MatrixStorage>
  void restore_range(const Exec& exec, const Lists& lists, const Range& range, MatrixStorage* a) const {
    InterleavedRef<MatrixStorage, vector_length, stencil7_size * n * n> const matrix(a);
    auto const part = lists.lower_part(range);
    launch("Hyperplane::MultiBlock::factor::restore", LongIndexRange<Exec>(exec, 0, part.size),
           2.0 * n * n * sizeof(MatrixStorage),
           RestoreDiagonals<n, MatrixStorage, vector_length>{part.points, matrix, of<MatrixStorage>(range)});
  }

  Kokkos::View<Scalar*, typename Exec::memory_space> m_values;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
