// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/timer_callbacks.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vectors.hpp>
#include <hyperplane/stencil/detail/apply_several.hpp>
#include <hyperplane/stencil/detail/apply_slab.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// What moves A once, and `count` vectors.
template <class Scalar, class Storage, int n, int count>
inline constexpr double apply_several_bytes = 7.0 * n * n * sizeof(Storage) + 2.0 * n * count * sizeof(Scalar);

template <class Scalar, int n, int count, class Exec, class Storage, std::size_t... v>
void launch_apply_several(const char* label, const Exec& exec, const BlockStencil7<Scalar, n, Exec, Storage>& a,
                          const BlockVectors<Scalar, n, count, Exec>& x, const BlockVectors<Scalar, n, count, Exec>& y,
                          std::index_sequence<v...>) {
  constexpr int length = BlockStencil7<Scalar, n, Exec, Storage>::vector_length;
  constexpr double bytes = apply_several_bytes<Scalar, Storage, n, count>;
  if constexpr (HostExecutionSpace<Exec>) {
    using Product = ApplySlab<false, Scalar, n, Storage, length, AllTerms>;
    using Kernel = ApplySlabSeveral<Product, count>;
    Kernel const body{{Product{a.ref(), y[v].ref(), x[v].ref(), y[v].ref(), {}}...},
                      Kernel::steps_together(7 * n * n * length * static_cast<std::int64_t>(sizeof(Storage)))};
    auto const& map = body.m_products[0].m_a.map();
    launch(label, IndexRange<Exec>(exec, 0, map.slabs() * body.m_products[0].ranges()),
           static_cast<double>(std::min(Product::range, map.steps())) * length * bytes, body);
  } else {
    ApplySeveral<Scalar, n, Storage, length, count> const body{a.ref(), {x[v].ref()...}, {y[v].ref()...}};
    launch(label, LongIndexRange<Exec>(exec, 0, body.size()), bytes / n, body);
  }
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
  constexpr auto label = "Hyperplane::BlockStencil7::apply";
  detail::check_product("apply", a, static_cast<const BlockVectors<Scalar, n, count, Exec>*>(nullptr), x, y);
  detail::count_bytes(label,
                      detail::apply_several_bytes<Scalar, Storage, n, count> * static_cast<double>(a.grid().size()));
  detail::launch_apply_several(label, exec, a, x, y, std::make_index_sequence<std::size_t{count}>());
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
