// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/core/timer_callbacks.hpp>

/// Dot products of one vector with many, or of each of several vectors side by side with those of its place: value e of
/// vector j is element e * vectors + j.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where the data of a direction is. (A View of plain pointers would be one of more dimensions.)
template <class Scalar>
struct Address {
  Scalar* m_data;
};

/// Elements of a partial sum.
inline constexpr std::int64_t multi_dot_chunk = 2048;

template <class Scalar, int vectors>
struct MultiDotHostChunk {
  static constexpr int lanes = 16;
  const Scalar* m_w;
  const Address<Scalar>* m_v;
  double* m_partial;
  std::int64_t m_size;
  std::int64_t m_chunks;
  int m_count;

  void operator()(std::int64_t index) const {
    constexpr int together = lanes * vectors;
    std::int64_t const begin = index * multi_dot_chunk * vectors;
    std::int64_t const end = std::min((index + 1) * multi_dot_chunk, m_size) * vectors;
    for (int i = 0; i < m_count; ++i) {
      const Scalar* const v = m_v[i].m_data;
      double sums[std::size_t{together}] = {};
      std::int64_t e = begin;
      for (; e + together <= end; e += together) {
        HYPERPLANE_INDEPENDENT
        for (int lane = 0; lane < together; ++lane) sums[lane] += static_cast<double>(m_w[e + lane]) * v[e + lane];
      }
      for (; e < end; e += vectors) {
        for (int j = 0; j < vectors; ++j) sums[j] += static_cast<double>(m_w[e + j]) * v[e + j];
      }
      for (int width = together / 2; width >= vectors; width /= 2) {
        for (int lane = 0; lane < width; ++lane) sums[lane] += sums[lane + width];
      }
      for (int j = 0; j < vectors; ++j) m_partial[(std::int64_t{i} * vectors + j) * m_chunks + index] = sums[j];
    }
  }
};

/// Index (i * lanes + t) * vectors + j is lane t of dot product i of vector j.
template <class Scalar, int vectors>
struct MultiDotLane {
  const Scalar* m_w;
  const Address<Scalar>* m_v;
  double* m_partial;
  std::int64_t m_size;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const j = index % vectors, lane = index / vectors % reduce_lanes, i = index / vectors / reduce_lanes;
    const Scalar* const v = m_v[i].m_data;
    double sum = 0.0;
    for (std::int64_t e = lane * vectors + j; e < m_size * vectors; e += reduce_lanes * vectors) {
      sum += static_cast<double>(m_w[e]) * v[e];
    }
    m_partial[(i * vectors + j) * reduce_lanes + lane] = sum;
  }
};

struct MultiDotCombine {
  const double* m_partial;
  double* m_results;
  std::int64_t m_parts;
  KOKKOS_FUNCTION void operator()(int i) const {
    double sum = 0.0;
    for (std::int64_t part = 0; part < m_parts; ++part) sum += m_partial[i * m_parts + part];
    m_results[i] = sum;
  }
};

/// results[i * vectors + j] = (w, v[i]) of vector j, for i < count, in one pass over w: bitwise the same whatever the
/// number of threads.
template <class Scalar, ExecutionSpace Exec, int vectors = 1>
class MultiDot {
 public:
  /// Vectors of `size` elements.
  MultiDot(const Exec& exec, std::int64_t size, int max_count)
      : m_size(size),
        m_chunks((size + multi_dot_chunk - 1) / multi_dot_chunk),
        m_partial(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::Fgmres::partial"),
                  as_size(std::int64_t{vectors} * max_count * (on_host ? m_chunks : reduce_lanes + reduce_parts))) {}

  void run(const Exec& exec, const Scalar* w, const Address<Scalar>* v, int count, double* results) const {
    double* partial = m_partial.data();
    int const sums = count * vectors;
    double const bytes = (count + 1.0) * vectors * sizeof(Scalar);
    count_bytes("Hyperplane::Fgmres::dots", bytes * static_cast<double>(m_size));
    if constexpr (on_host) {
      launch("Hyperplane::Fgmres::dots", IndexRange<Exec>(exec, 0, m_chunks),
             bytes * static_cast<double>(std::min<std::int64_t>(m_size, multi_dot_chunk)),
             MultiDotHostChunk<Scalar, vectors>{w, v, partial, m_size, m_chunks, count});
    } else {
      Kokkos::parallel_for("Hyperplane::Fgmres::dots", Kokkos::RangePolicy<Exec>(exec, 0, sums * reduce_lanes),
                           MultiDotLane<Scalar, vectors>{w, v, partial, m_size});
      double* const folded = partial + sums * reduce_lanes;
      Kokkos::parallel_for("Hyperplane::Fgmres::dots::fold", Kokkos::RangePolicy<Exec>(exec, 0, sums * reduce_parts),
                           ReduceFold<SumJoin, double>{partial, folded});
      partial = folded;
    }
    launch("Hyperplane::Fgmres::dots::finish", IndexRange<Exec>(exec, 0, sums),
           static_cast<double>(on_host ? m_chunks : reduce_parts) * sizeof(double),
           MultiDotCombine{partial, results, on_host ? m_chunks : reduce_parts});
  }

 private:
  static constexpr bool on_host = HostExecutionSpace<Exec>;

  std::int64_t m_size;
  std::int64_t m_chunks;
  Kokkos::View<double*, typename Exec::memory_space> m_partial;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
