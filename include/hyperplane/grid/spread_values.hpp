// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/ordered_instances.hpp>
#include <hyperplane/grid/spread_layout.hpp>
#include <hyperplane/simd/interleaved_view.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Values of several parts, all zero at first, whose addresses follow one another as a SpreadLayout says. A
/// specialization has each part in the memory of its device; here all parts are in one allocation.
///
/// A shared handle: values are there as long as one of its copies.
template <class T, ExecutionSpace Exec>
class SpreadValues {
 public:
  using Flat = Kokkos::View<T*, typename Exec::memory_space>;

  /// Pieces of a layout have multiples of so many values: here a page of memory.
  static std::int64_t unit(const OrderedInstances<Exec>&) { return std::int64_t{4096 / sizeof(T)}; }

  SpreadValues(const Exec& exec, const OrderedInstances<Exec>&, const SpreadLayout& layout)
      : m_flat(make_zeros<T>(exec, "Hyperplane::SpreadValues",
                             std::accumulate(layout.pieces().begin(), layout.pieces().end(), std::int64_t{0}))) {
    exec.fence("Hyperplane::SpreadValues: before what is launched on the instances of the parts");
  }

  /// All values, gaps (zeros) included.
  const Flat& flat() const { return m_flat; }

 private:
  Flat m_flat;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
