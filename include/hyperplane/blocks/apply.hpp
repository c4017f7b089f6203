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
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/grouped_apply.hpp>
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

/// y = A x, or y = b - A x where there is b: one grid block after the other, of whose neighbours outside x is what
/// `faces` has by `donors`.
template <bool subtract, class Scalar, int n, ExecutionSpace Exec, class Storage, int vector_length>
void apply_one_by_one(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
                      const MultiBlockVector<Scalar, n, Exec>& b, const MultiBlockVector<Scalar, n, Exec>& x,
                      const MultiBlockVector<Scalar, n, Exec>& y,
                      [[maybe_unused]] const OutsideFaces<Exec, vector_length>& faces,
                      [[maybe_unused]] const DonorValues<Scalar, n, vector_length>& donors) {
  constexpr const char* label = subtract             ? "Hyperplane::BlockStencil7::residual"
                                : ShortReal<Storage> ? "Hyperplane::ScaledStencil7::apply"
                                                     : "Hyperplane::BlockStencil7::apply";
  for (int g = 0; g < a.grid().block_count(); ++g) {
    auto const from = b.block(g);
    auto const product = [&](const auto& outside) {
      apply_or_residual<subtract>(subtract ? "residual" : "apply", label, exec, a.block(g), subtract ? &from : nullptr,
                                  x.block(g), y.block(g), AllTerms(), outside);
    };
    if constexpr (!CudaExecutionSpace<Exec>) {
      if (!faces.empty()) {
        product(faces.template values_outside<Scalar, n>(g, donors));
        continue;
      }
    }
    product(NoOutside());
  }
}

/// The same of all grid blocks together, or of a part of them.
template <bool subtract, class Scalar, int n, ExecutionSpace Exec, class Storage, int vector_length>
void apply_together(const char* label, const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
                    const MultiBlockVector<Scalar, n, Exec>& b, const MultiBlockVector<Scalar, n, Exec>& x,
                    const MultiBlockVector<Scalar, n, Exec>& y, const GroupedApply<Scalar, n, Exec>& grouped,
                    GroupedPart part, const OutsideFaces<Exec, vector_length>& faces,
                    const DonorValues<Scalar, n, vector_length>& donors) {
  require(x.flat().data() != y.flat().data(),
          subtract ? "residual: the result must not be x" : "apply: the result must not be x");
  grouped.template run<subtract>(label, exec, a.flat().data(), b.flat().data(), x.flat().data(), y.flat().data(),
                                 AllTerms(), faces.template values_outside<Scalar, n>(donors), part);
}

/// Whether grid blocks are multiplied together: where that can be, and one grid alone has not all of it.
template <ExecutionSpace Exec, class Scalar, int n, int vector_length>
bool multiplies_together(const MultiBlockGrid& grid, const OutsideFaces<Exec, vector_length>& faces) {
  return GroupedApply<Scalar, n, Exec>::exists && (grid.block_count() > 1 || !faces.empty());
}

/// y = A x, or y = b - A x where there is b, of all grid blocks and their couplings.
template <bool subtract, class Scalar, int n, ExecutionSpace Exec, class Storage>
void apply_blocks(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
                  const MultiBlockVector<Scalar, n, Exec>& b, const MultiBlockVector<Scalar, n, Exec>& x,
                  const MultiBlockVector<Scalar, n, Exec>& y) {
  constexpr int W = MultiBlockVector<Scalar, n, Exec>::vector_length;
  DonorValues<Scalar, n, W> const donors(x.flat().data());
  if constexpr (GroupedApply<Scalar, n, Exec>::exists) {
    if (multiplies_together<Exec, Scalar, n>(a.grid(), a.outside())) {
      constexpr const char* label = subtract             ? "Hyperplane::MultiBlockStencil7::residual"
                                    : ShortReal<Storage> ? "Hyperplane::ScaledStencil7::apply"
                                                         : "Hyperplane::MultiBlockStencil7::apply";
      apply_together<subtract>(label, exec, a, b, x, y, a.grouped_apply(), GroupedPart::all, a.outside(), donors);
      return;
    }
  }
  apply_one_by_one<subtract>(exec, a, b, x, y, a.outside(), donors);
}

}  // namespace detail

/// y = A x over all grid blocks and their interfaces. x and y are different vectors on the grid of A, or Error is
/// thrown.
///
/// On CUDA a launch for all grid blocks, elsewhere one for each (see apply() of a BlockStencil7). Couplings across
/// interfaces have their place in the sums, so that parts of a box have the bits of the box. Donors are read where they
/// are. No allocation, no fence; asynchronous on the given instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void apply(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
           const MultiBlockVector<Scalar, n, Exec>& x, const MultiBlockVector<Scalar, n, Exec>& y) {
  detail::check_multi_block_grid("apply", "x", x.grid(), a.grid());
  detail::check_multi_block_grid("apply", "the result", y.grid(), a.grid());
  detail::apply_blocks<false>(exec, a, y, x, y);
}

/// r = b - A x over all grid blocks and their interfaces. x and r are different vectors; r may be b. See apply().
template <class Scalar, int n, ExecutionSpace Exec, Real Storage>
void residual(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a,
              const MultiBlockVector<Scalar, n, Exec>& b, const MultiBlockVector<Scalar, n, Exec>& x,
              const MultiBlockVector<Scalar, n, Exec>& r) {
  detail::check_multi_block_grid("residual", "b", b.grid(), a.grid());
  detail::check_multi_block_grid("residual", "x", x.grid(), a.grid());
  detail::check_multi_block_grid("residual", "the result", r.grid(), a.grid());
  detail::apply_blocks<true>(exec, a, b, x, r);
}

namespace detail {

/// What `describe(b)` says of the first grid block b for which it says something, with its number.
template <class Describe>
std::string describe_first_grid_block(const MultiBlockGrid& grid, const Describe& describe) {
  for (int b = 0; b < grid.block_count(); ++b) {
    auto const found = describe(b);
    if (!found.empty()) return "grid block " + std::to_string(b) + ": " + found;
  }
  return {};
}

}  // namespace detail

/// The first block of A that is not finite, in words: "grid block 2: block west of point (0, 3, 1), which points out of
/// the grid, is not finite"; empty where all are. Waits for the instance.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
std::string describe_not_finite(const Exec& exec, const MultiBlockStencil7<Scalar, n, Exec, Storage>& a) {
  return detail::describe_first_grid_block(a.grid(), [&](int b) { return describe_not_finite(exec, a.block(b)); });
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
