// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/partials.hpp>
#include <hyperplane/array/detail/reduce_fast_path.hpp>
#include <hyperplane/array/detail/reduce_portable.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/array/detail/reduce_cuda.hpp>
#endif

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// `count` values that are summed in one pass.
template <int count>
using Sums = Partials<double, count>;

/// Leaves sums of some of the elements where those of others are joined with them.
template <int count>
struct StoreSums {
  double* m_to;
  int m_count = count;  ///< so many of them
  KOKKOS_FUNCTION void operator()(const Sums<count>& sums) const {
    for (int v = 0; v < m_count; ++v) m_to[v] = sums.m_values[v];
  }
};

/// A body for the elements from `begin` on.
template <class Body>
struct ShiftedBody {
  Body m_body;
  std::int64_t m_begin;
  KOKKOS_FUNCTION auto operator()(std::int64_t e) const { return m_body(m_begin + e); }
};

/// Sums, and other joins, over the elements of a method's vectors, with the same bits whatever the number of threads; a
/// functor runs on the result where it is, so that scalars of a method stay on the device. A plan: the constructor
/// allocates; a sum is the launches of Reductions, without allocation and fence.
template <ExecutionSpace Exec>
class Reducer {
 public:
  Reducer(const Exec& exec, std::int64_t size)
      : m_size(size), m_memory(Kokkos::view_alloc(exec, "Hyperplane::Reducer::memory"), memory_bytes()) {}

  /// `body(e)` is called once for every element and returns Sums<count>; it may write element e of vectors.
  /// `finish(sums)` is called once, after all of them, with the largest values instead where Join is MaxJoin.
  template <int count, class Join = SumJoin, class Body, class Finish>
  void run(const Exec& exec, const std::string& label, const Body& body, const Finish& finish) const {
    static_assert(count >= 1 && count <= reduce_max_values);
    if constexpr (FastPath::exists) {
      FastPath::template run_indices<Join>(exec, label, m_size, body, finish, m_memory.data());
    } else {
      reduce_portable_indices<Join>(exec, label, m_size, body, finish, m_memory.data());
    }
  }

  /// Sums over the elements that a method has found by itself, where kernels have them: nothing is missing.
  void complete(const Exec&, double* /*sums*/, int /*count*/) const {}

 private:
  using FastPath = ReduceFastPath<Exec>;

  static std::size_t memory_bytes() {
    if constexpr (FastPath::exists) return FastPath::memory_bytes();
    return sizeof(double) * static_cast<std::size_t>(reduce_portable_values<Exec>());
  }

  std::int64_t m_size;
  Kokkos::View<std::byte*, typename Exec::memory_space> m_memory;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
