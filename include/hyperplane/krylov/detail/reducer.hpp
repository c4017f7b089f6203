// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/cfd/detail/partials.hpp>
#include <hyperplane/cfd/detail/reduce_fast_path.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>
#include <string>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/cfd/detail/reduce_cuda.hpp>
#endif

namespace hyperplane::detail {

/// `count` values that are summed in one pass.
template <int count>
using Sums = Partials<double, count>;

/// Elements of a partial sum.
inline constexpr std::int64_t reducer_chunk = 4096;
inline constexpr int reducer_max_sums = 4;
/// Partial sums on a device, and what they are folded into.
inline constexpr std::int64_t reducer_lanes = 65536;
inline constexpr std::int64_t reducer_folded = 256;

// Kernels are not nested in the class: CUDA has to be able to name them.

template <int count, class Body>
struct ReducerHostChunk {
  // As many independent sums as a vector register may have lanes.
  static constexpr int lanes = 16;

  Body m_body;
  double* m_partial;
  std::int64_t m_size;
  std::int64_t m_chunks;

  void operator()(std::int64_t index) const {
    std::int64_t const begin = index * reducer_chunk;
    std::int64_t const end = std::min(begin + reducer_chunk, m_size);
    double sums[count][lanes] = {};
    std::int64_t e = begin;
    for (; e + lanes <= end; e += lanes) {
      HYPERPLANE_INDEPENDENT
      for (int lane = 0; lane < lanes; ++lane) {
        auto const values = m_body(e + lane);
        for (int s = 0; s < count; ++s) sums[s][lane] += values.m_values[s];
      }
    }
    for (; e < end; ++e) {
      auto const values = m_body(e);
      for (int s = 0; s < count; ++s) sums[s][0] += values.m_values[s];
    }
    for (int s = 0; s < count; ++s) {
      for (int width = lanes / 2; width > 0; width /= 2) {
        for (int lane = 0; lane < width; ++lane) sums[s][lane] += sums[s][lane + width];
      }
      m_partial[s * m_chunks + index] = sums[s][0];
    }
  }
};

/// Lane t sums elements t, t + lanes, ...: neighbouring threads read neighbouring elements.
template <int count, class Body>
struct ReducerLane {
  Body m_body;
  double* m_partial;
  std::int64_t m_size;

  KOKKOS_FUNCTION void operator()(std::int64_t lane) const {
    double sums[count] = {};
    for (std::int64_t e = lane; e < m_size; e += reducer_lanes) {
      auto const values = m_body(e);
      for (int s = 0; s < count; ++s) sums[s] += values.m_values[s];
    }
    for (int s = 0; s < count; ++s) m_partial[s * reducer_lanes + lane] = sums[s];
  }
};

/// Folds the sums of all lanes into reducer_folded of them, for one row of sums after another.
struct ReducerFold {
  const double* m_from;
  double* m_to;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    std::int64_t const row = index / reducer_folded;
    double sum = 0.0;
    for (std::int64_t lane = index % reducer_folded; lane < reducer_lanes; lane += reducer_folded) {
      sum += m_from[row * reducer_lanes + lane];
    }
    m_to[index] = sum;
  }
};

template <int count, class Finish>
struct ReducerCombine {
  Finish m_finish;
  const double* m_partial;
  std::int64_t m_parts;

  KOKKOS_FUNCTION void operator()(int) const {
    Sums<count> total{};
    for (int s = 0; s < count; ++s) {
      for (std::int64_t part = 0; part < m_parts; ++part) total.m_values[s] += m_partial[s * m_parts + part];
    }
    m_finish(total);
  }
};

/// Reductions with the same bits whatever the number of threads: partial sums over fixed parts, combined in a fixed
/// order by one thread, which also runs a functor on the result. So scalars of a method stay on the device.
///
/// Two launches on the host (fixed chunks), one on CUDA, three on another device (strided lanes); no allocation, no
/// fence. Sums are in double.
template <ExecutionSpace Exec>
class Reducer {
 public:
  Reducer(const Exec& exec, std::int64_t size)
      : m_size(size),
        m_chunks((size + reducer_chunk - 1) / reducer_chunk),
        m_partial(Kokkos::view_alloc(exec, "Hyperplane::Reducer::partial"), partial_values(m_chunks)) {}

  /// `body(e)` is called once for every element and returns Sums<count>; it may write element e of vectors.
  /// `finish(sums)` is called once, after all of them.
  template <int count, class Body, class Finish>
  void run(const Exec& exec, const std::string& label, const Body& body, const Finish& finish) const {
    static_assert(count >= 1 && count <= reducer_max_sums);
    if constexpr (FastPath::exists) {
      FastPath::run_indices(exec, label, m_size, body, finish, reinterpret_cast<std::byte*>(m_partial.data()));
    } else {
      run_portable<count>(exec, label, body, finish);
    }
  }

 private:
  using FastPath = ReduceFastPath<Exec>;
  static constexpr bool on_host = HostExecutionSpace<Exec>;

  static std::int64_t partial_values(std::int64_t chunks) {
    if constexpr (FastPath::exists) return static_cast<std::int64_t>(FastPath::memory_bytes() / sizeof(double));
    return reducer_max_sums * (on_host ? chunks : reducer_lanes + reducer_folded);
  }

  template <int count, class Body, class Finish>
  void run_portable(const Exec& exec, const std::string& label, const Body& body, const Finish& finish) const {
    double* partial = m_partial.data();
    if constexpr (on_host) {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, m_chunks),
                           ReducerHostChunk<count, Body>{body, partial, m_size, m_chunks});
    } else {
      Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec>(exec, 0, reducer_lanes),
                           ReducerLane<count, Body>{body, partial, m_size});
      double* const folded = partial + count * reducer_lanes;
      Kokkos::parallel_for(label + "::fold", Kokkos::RangePolicy<Exec>(exec, 0, count * reducer_folded),
                           ReducerFold{partial, folded});
      partial = folded;
    }
    Kokkos::parallel_for(label + "::finish", Kokkos::RangePolicy<Exec>(exec, 0, 1),
                         ReducerCombine<count, Finish>{finish, partial, on_host ? m_chunks : reducer_folded});
  }

  std::int64_t m_size;
  std::int64_t m_chunks;
  Kokkos::View<double*, typename Exec::memory_space> m_partial;
};

}  // namespace hyperplane::detail
