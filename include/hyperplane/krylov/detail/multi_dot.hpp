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
#include <hyperplane/krylov/detail/tall_layout.hpp>

/// Dot products of one vector with many, or of each of several vectors with those of its place.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where the data of a direction is. (A View of plain pointers would be one of more dimensions.)
template <class Scalar>
struct Address {
  Scalar* m_data;
};

/// Elements of a partial sum.
inline constexpr std::int64_t multi_dot_chunk = 2048;

template <class Scalar, class Layout>
struct MultiDotHostChunk {
  static constexpr int lanes = 16;
  static constexpr int beside = Layout::beside;
  Layout m_layout;
  const Scalar* m_w;
  const Address<Scalar>* m_v;
  double* m_partial;
  std::int64_t m_chunks;
  int m_count;
  std::int64_t m_begin;

  void operator()(std::int64_t index) const {
    constexpr int together = lanes * beside;
    auto const [first, chunk] = TallChunk::of(index, m_chunks);
    const Scalar* const w = m_w + m_begin;
    auto const begin = m_layout.place(chunk * multi_dot_chunk, first);
    auto const end = m_layout.place(std::min((chunk + 1) * multi_dot_chunk, m_layout.m_size), first);
    for (int i = 0; i < m_count; ++i) {
      const Scalar* const v = m_v[i].m_data + m_begin;
      double sums[std::size_t{together}] = {};
      std::int64_t e = begin;
      for (; e + together <= end; e += together) {
        HYPERPLANE_INDEPENDENT
        for (int lane = 0; lane < together; ++lane) sums[lane] += static_cast<double>(w[e + lane]) * v[e + lane];
      }
      for (; e < end; e += beside) {
        for (int j = 0; j < beside; ++j) sums[j] += static_cast<double>(w[e + j]) * v[e + j];
      }
      for (int width = together / 2; width >= beside; width /= 2) {
        for (int lane = 0; lane < width; ++lane) sums[lane] += sums[lane + width];
      }
      double* const partial = m_partial + (std::int64_t{i} * Layout::vectors + first) * m_chunks + chunk;
      for (int j = 0; j < beside; ++j) partial[j * m_chunks] = sums[j];
    }
  }
};

/// Lane t of dot product i of vector j, for indices in which t and j follow one another as elements and vectors do.
template <class Scalar, class Layout>
struct MultiDotLane {
  Layout m_layout;
  const Scalar* m_w;
  const Address<Scalar>* m_v;
  double* m_partial;
  std::int64_t m_begin;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    Layout const lanes{reduce_lanes};
    auto const i = index / lanes.places(), part = index - i * lanes.places();
    int const j = lanes.vector_at(part);
    auto const lane = lanes.element_at(part, j);
    const Scalar* const w = m_w + m_begin;
    const Scalar* const v = m_v[i].m_data + m_begin;
    auto const step = reduce_lanes * std::int64_t{Layout::beside};
    auto const end = m_layout.place(m_layout.m_size, j);
    double sum = 0.0;
    for (auto e = m_layout.place(lane, j); e < end; e += step) sum += static_cast<double>(w[e]) * v[e];
    m_partial[(i * Layout::vectors + j) * reduce_lanes + lane] = sum;
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

/// results[i * vectors + j] = (w, v[i]) of vector j, for i < count, in one pass over w, of the elements that the layout
/// has, from `begin` on: bitwise the same whatever the number of threads.
template <class Scalar, ExecutionSpace Exec, class Layout = TallLayout<1, true>>
class MultiDot {
 public:
  static constexpr int vectors = Layout::vectors;

  MultiDot(const Exec& exec, const Layout& layout, int max_count, std::int64_t begin = 0)
      : m_layout(layout),
        m_begin(begin),
        m_chunks((layout.m_size + multi_dot_chunk - 1) / multi_dot_chunk),
        m_partial(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::Fgmres::partial"),
                  as_size(std::int64_t{vectors} * max_count * (on_host ? m_chunks : reduce_lanes + reduce_parts))) {}

  void run(const Exec& exec, const Scalar* w, const Address<Scalar>* v, int count, double* results) const {
    double* partial = m_partial.data();
    int const sums = count * vectors;
    double const bytes = (count + 1.0) * sizeof(Scalar);
    count_bytes("Hyperplane::Fgmres::dots", bytes * static_cast<double>(m_layout.places()));
    if constexpr (on_host) {
      launch("Hyperplane::Fgmres::dots", IndexRange<Exec>(exec, 0, m_chunks * (vectors / Layout::beside)),
             bytes * Layout::beside * static_cast<double>(std::min<std::int64_t>(m_layout.m_size, multi_dot_chunk)),
             MultiDotHostChunk<Scalar, Layout>{m_layout, w, v, partial, m_chunks, count, m_begin});
    } else {
      Kokkos::parallel_for("Hyperplane::Fgmres::dots", Kokkos::RangePolicy<Exec>(exec, 0, sums * reduce_lanes),
                           MultiDotLane<Scalar, Layout>{m_layout, w, v, partial, m_begin});
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

  Layout m_layout;
  std::int64_t m_begin;
  std::int64_t m_chunks;
  Kokkos::View<double*, typename Exec::memory_space> m_partial;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
