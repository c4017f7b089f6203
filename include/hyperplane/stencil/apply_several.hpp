// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vectors.hpp>
#include <hyperplane/stencil/detail/apply_several.hpp>
#include <hyperplane/stencil/detail/apply_slab.hpp>
#include <hyperplane/stencil/detail/apply_transposed_slab.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>
#include <hyperplane/stencil/scaled_stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// What moves A once, and `count` vectors.
template <class Scalar, class Storage, int n, int count>
constexpr double apply_several_bytes(bool from_b) {
  return blocks_bytes<Storage, n> + (from_b ? 3.0 : 2.0) * n * count * sizeof(Scalar);
}

/// y[v] = A x[v], or b[v] - A x[v]; or the same with A^T.
template <bool subtract, bool transposed, class Matrix, class Scalar, int n, int count, class Exec, std::size_t... v>
void launch_apply_several(const char* label, const Exec& exec, const Matrix& a,
                          const BlockVectors<Scalar, n, count, Exec>& b, const BlockVectors<Scalar, n, count, Exec>& x,
                          const BlockVectors<Scalar, n, count, Exec>& y, std::index_sequence<v...>) {
  using Storage = typename Matrix::storage_type;
  constexpr int length = Matrix::vector_length;
  constexpr double bytes = apply_several_bytes<Scalar, Storage, n, count>(subtract);
  auto const map = a.ref().map();
  if constexpr (!HostExecutionSpace<Exec>) {
    ApplySeveral<subtract, transposed, Scalar, n, Storage, length, count> const body{
        a.ref(), {b[v].ref()...}, {x[v].ref()...}, {y[v].ref()...}};
    launch(label, LongIndexRange<Exec>(exec, 0, body.size()), bytes / n, body);
  } else if constexpr (transposed) {
    using Product = ApplyTransposedSlab<subtract, Scalar, n, Storage, length, AllTerms>;
    auto const ranges = transposed_ranges<Product>(map, concurrency_of(exec));
    auto const pieces = Product::groups(map) * ranges;
    launch(label, IndexRange<Exec>(exec, 0, pieces),
           static_cast<double>(map.pack_count()) / static_cast<double>(pieces) * length * bytes,
           ApplyTransposedSlabSeveral<Product, count>{
               {Product{a.ref(), b[v].ref(), x[v].ref(), y[v].ref(), {}, ranges}...}});
  } else {
    using Product = ApplySlab<subtract, Scalar, n, Storage, length, AllTerms>;
    using Kernel = ApplySlabSeveral<Product, count>;
    Kernel const body{
        {Product{a.ref(), b[v].ref(), x[v].ref(), y[v].ref(), {}}...},
        Kernel::steps_together(Matrix::Ref::entries * length * static_cast<std::int64_t>(sizeof(Storage)))};
    launch(label, IndexRange<Exec>(exec, 0, map.slabs() * body.m_products[0].ranges()),
           static_cast<double>(std::min(Product::range, map.steps())) * length * bytes, body);
  }
}

template <bool subtract, bool transposed, class Matrix, class Scalar, int n, int count, class Exec>
void apply_several(const char* function, const char* label, const Exec& exec, const Matrix& a,
                   const BlockVectors<Scalar, n, count, Exec>& b, const BlockVectors<Scalar, n, count, Exec>& x,
                   const BlockVectors<Scalar, n, count, Exec>& y) {
  check_product(function, a, subtract ? &b : nullptr, x, y);
  count_bytes(label, apply_several_bytes<Scalar, typename Matrix::storage_type, n, count>(subtract) *
                         static_cast<double>(a.grid().size()));
  launch_apply_several<subtract, transposed>(label, exec, a, b, x, y, std::make_index_sequence<std::size_t{count}>());
}

}  // namespace detail

/// y[j] = A x[j] for each j, with A read once for all. x and y are different vectors on the grid of A, or Error is
/// thrown. On hosts each has the operations of apply() of it alone, in their order.
///
/// 14 n^2 flops for each vector, 7 n^2 + 2 n count values of memory traffic per point. One launch, no allocation, no
/// fence; asynchronous on the given instance.
template <class Scalar, int n, int count, ExecutionSpace Exec, class Storage>
void apply(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
           const BlockVectors<Scalar, n, count, Exec>& x, const BlockVectors<Scalar, n, count, Exec>& y) {
  detail::apply_several<false, false>("apply", "Hyperplane::BlockStencil7::apply", exec, a, y, x, y);
}

/// y[j] = A x[j] for each j, with a copy in 16 bits.
template <class Scalar, int n, int count, ExecutionSpace Exec, class Short>
void apply(const Exec& exec, const ScaledStencil7<Scalar, n, Exec, Short>& a,
           const BlockVectors<Scalar, n, count, Exec>& x, const BlockVectors<Scalar, n, count, Exec>& y) {
  detail::apply_several<false, false>("apply", "Hyperplane::ScaledStencil7::apply", exec, a, y, x, y);
}

/// r[j] = b[j] - A x[j] for each j. x and r are different vectors; r may be b. 7 n^2 + 3 n count values of memory
/// traffic per point; see apply().
template <class Scalar, int n, int count, ExecutionSpace Exec, class Storage>
void residual(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
              const BlockVectors<Scalar, n, count, Exec>& b, const BlockVectors<Scalar, n, count, Exec>& x,
              const BlockVectors<Scalar, n, count, Exec>& r) {
  detail::apply_several<true, false>("residual", "Hyperplane::BlockStencil7::residual", exec, a, b, x, r);
}

/// y[j] = A^T x[j] for each j, of the blocks of A where they are. See apply().
template <class Scalar, int n, int count, ExecutionSpace Exec, class Storage>
void apply_transposed(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
                      const BlockVectors<Scalar, n, count, Exec>& x, const BlockVectors<Scalar, n, count, Exec>& y) {
  detail::apply_several<false, true>("apply_transposed", "Hyperplane::BlockStencil7::apply_transposed", exec, a, y, x,
                                     y);
}

/// y[j] = A^T x[j] for each j, with a copy in 16 bits.
template <class Scalar, int n, int count, ExecutionSpace Exec, class Short>
void apply_transposed(const Exec& exec, const ScaledStencil7<Scalar, n, Exec, Short>& a,
                      const BlockVectors<Scalar, n, count, Exec>& x, const BlockVectors<Scalar, n, count, Exec>& y) {
  detail::apply_several<false, true>("apply_transposed", "Hyperplane::ScaledStencil7::apply_transposed", exec, a, y, x,
                                     y);
}

/// r[j] = b[j] - A^T x[j] for each j. x and r are different vectors; r may be b. See residual().
template <class Scalar, int n, int count, ExecutionSpace Exec, class Storage>
void residual_transposed(const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
                         const BlockVectors<Scalar, n, count, Exec>& b, const BlockVectors<Scalar, n, count, Exec>& x,
                         const BlockVectors<Scalar, n, count, Exec>& r) {
  detail::apply_several<true, true>("residual_transposed", "Hyperplane::BlockStencil7::residual_transposed", exec, a, b,
                                    x, r);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
