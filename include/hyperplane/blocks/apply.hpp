// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/couple.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/multi_block_vector.hpp>
#include <hyperplane/blocks/outside_faces.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/simd/interleaved_ref.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/not_finite.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// Throws Error, which names the function and the argument, where the argument is on other grid blocks than expected.
inline void check_multi_block_grid(const char* function, const char* argument, const MultiBlockGrid& grid,
                                   const MultiBlockGrid& expected) {
  if (!(grid == expected)) {
    fail(std::string(function) + ": " + argument + " is on " + to_string(grid) + ", expected " + to_string(expected) +
         " with the same interfaces");
  }
}

/// What a solve with a preconditioner of `grid` is called with.
template <class Vector>
void check_multi_block_solve(const char* function, const MultiBlockGrid& grid, const Vector& rhs, const Vector& x,
                             bool factored) {
  check_multi_block_grid(function, "the right-hand side", rhs.grid(), grid);
  check_multi_block_grid(function, "x", x.grid(), grid);
  if (!factored) fail(std::string(function) + ": called before factor");
}

/// What the couplings across interfaces add to y = A x, or to y = b - A x.
template <bool subtract, class Scalar, int n, ExecutionSpace Exec, class Storage>
void apply_couplings(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
                     const MultiBlockVector<Scalar, n, Exec>& x, const MultiBlockVector<Scalar, n, Exec>& y) {
  constexpr int W = MultiBlockVector<Scalar, n, Exec>::vector_length;
  using Packs = InterleavedRef<Storage, W, stencil7_size * n * n>;
  couple<subtract, Scalar, n, W>("Hyperplane::MultiBlockStencil7::couplings", exec, a.couplings().all(),
                                 MatrixCoefficients<Storage, n, W>{Packs(a.flat().data())},
                                 DonorValues<Scalar, n, W>(x.flat().data()), y.flat().data());
}

/// y = A x, or y = b - A x where there is b, inside of all grid blocks, without couplings across interfaces: in one
/// launch where the execution space has that, else one grid block after the other.
template <bool subtract, class Scalar, int n, ExecutionSpace Exec, class Storage>
void apply_inside(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
                  const MultiBlockVector<Scalar, n, Exec>& b, const MultiBlockVector<Scalar, n, Exec>& x,
                  const MultiBlockVector<Scalar, n, Exec>& y) {
  if constexpr (MultiBlockStencil7<Scalar, n, Exec, Storage>::GroupedApply::exists) {
    if (a.grid().block_count() > 1) {
      constexpr const char* label =
          subtract ? "Hyperplane::MultiBlockStencil7::residual" : "Hyperplane::MultiBlockStencil7::apply";
      require(x.flat().data() != y.flat().data(),
              subtract ? "residual: the result must not be x" : "apply: the result must not be x");
      count_bytes(label, (7.0 * n * n * sizeof(Storage) + (subtract ? 3.0 : 2.0) * n * sizeof(Scalar)) *
                             static_cast<double>(a.grid().size()));
      a.grouped_apply().template run<subtract>(label, exec, a.flat().data(), b.flat().data(), x.flat().data(),
                                               y.flat().data());
      return;
    }
  }
  for (int g = 0; g < a.grid().block_count(); ++g) {
    if constexpr (subtract) {
      residual(exec, a.block(g), b.block(g), x.block(g), y.block(g));
    } else {
      apply(exec, a.block(g), x.block(g), y.block(g));
    }
  }
}

/// y = A x, or y = b - A x where there is b, on a host: one grid block after the other, of whose neighbours outside x
/// is what `faces` has by `donors`.
template <bool subtract, class Scalar, int n, HostExecutionSpace Exec, class Storage, int vector_length>
void apply_with_outside(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
                        const MultiBlockVector<Scalar, n, Exec>& b, const MultiBlockVector<Scalar, n, Exec>& x,
                        const MultiBlockVector<Scalar, n, Exec>& y, const OutsideFaces<Exec, vector_length>& faces,
                        const DonorValues<Scalar, n, vector_length>& donors) {
  if (faces.empty()) return apply_inside<subtract>(exec, a, b, x, y);
  constexpr const char* label = subtract ? "Hyperplane::BlockStencil7::residual" : "Hyperplane::BlockStencil7::apply";
  for (int g = 0; g < a.grid().block_count(); ++g) {
    auto const from = b.block(g);
    apply_or_residual<subtract>(subtract ? "residual" : "apply", label, exec, a.block(g), subtract ? &from : nullptr,
                                x.block(g), y.block(g), AllTerms(),
                                faces.template values_outside<Scalar, n>(g, donors));
  }
}

/// y = A x, or y = b - A x where there is b, of all grid blocks and their couplings.
template <bool subtract, class Scalar, int n, ExecutionSpace Exec, class Storage>
void apply_blocks(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
                  const MultiBlockVector<Scalar, n, Exec>& b, const MultiBlockVector<Scalar, n, Exec>& x,
                  const MultiBlockVector<Scalar, n, Exec>& y) {
  if constexpr (HostExecutionSpace<Exec>) {
    constexpr int W = MultiBlockVector<Scalar, n, Exec>::vector_length;
    apply_with_outside<subtract>(exec, a, b, x, y, a.outside(), DonorValues<Scalar, n, W>(x.flat().data()));
  } else {
    apply_inside<subtract>(exec, a, b, x, y);
    apply_couplings<subtract>(exec, a, x, y);
  }
}

}  // namespace detail

/// y = A x over all grid blocks and their interfaces. x and y are different vectors on the grid of A, or Error is
/// thrown.
///
/// On hosts a launch for each grid block (see apply() of a BlockStencil7), which takes couplings across interfaces at
/// their place in the sums, so that parts of a box have the bits of the box. On CUDA a launch for all grid blocks,
/// elsewhere one for each, and one for all points on interfaces, which adds the couplings. Donors are read where they
/// are. No allocation, no fence; asynchronous on the given instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void apply(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
           const MultiBlockVector<Scalar, n, Exec>& x, const MultiBlockVector<Scalar, n, Exec>& y) {
  detail::check_multi_block_grid("apply", "x", x.grid(), a.grid());
  detail::check_multi_block_grid("apply", "the result", y.grid(), a.grid());
  detail::apply_blocks<false>(exec, a, y, x, y);
}

/// r = b - A x over all grid blocks and their interfaces. x and r are different vectors; r may be b. See apply().
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void residual(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
              const MultiBlockVector<Scalar, n, Exec>& b, const MultiBlockVector<Scalar, n, Exec>& x,
              const MultiBlockVector<Scalar, n, Exec>& r) {
  detail::check_multi_block_grid("residual", "b", b.grid(), a.grid());
  detail::check_multi_block_grid("residual", "x", x.grid(), a.grid());
  detail::check_multi_block_grid("residual", "the result", r.grid(), a.grid());
  detail::apply_blocks<true>(exec, a, b, x, r);
}

/// The first block of A that is not finite, in words: "grid block 2: block west of point (0, 3, 1), which points out of
/// the grid, is not finite"; empty where all are. Waits for the instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
std::string describe_not_finite(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a) {
  for (int b = 0; b < a.grid().block_count(); ++b) {
    auto const found = describe_not_finite(exec, a.block(b));
    if (!found.empty()) return "grid block " + std::to_string(b) + ": " + found;
  }
  return {};
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
