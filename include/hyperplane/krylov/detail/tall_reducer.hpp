// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/krylov/detail/tall_layout.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

/// Loops and sums over several vectors. Bodies take the place of a value and the number of its vector.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// On hosts an element of all vectors, in the lanes of the processor's vectors, or, where vectors are behind one
/// another, some elements of one of them; on devices one value.
template <class Exec, class Layout, class Body>
struct TallElements {
  static constexpr std::int64_t together = Layout::side_by_side ? 1 : 1024;

  Layout m_layout;
  Body m_body;

  KOKKOS_FUNCTION std::int64_t chunks() const { return (m_layout.m_size + together - 1) / together; }
  std::int64_t indices() const {
    return HostExecutionSpace<Exec> ? chunks() * (Layout::vectors / Layout::beside) : m_layout.places();
  }

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    if constexpr (HostExecutionSpace<Exec> && Layout::side_by_side) {
      HYPERPLANE_INDEPENDENT
      for (int j = 0; j < Layout::vectors; ++j) m_body(index * Layout::vectors + j, j);
    } else if constexpr (HostExecutionSpace<Exec>) {
      auto const part = TallChunk::of(index, chunks());
      auto const begin = part.m_chunk * together;
      auto const end = begin + together < m_layout.m_size ? begin + together : m_layout.m_size;
      auto const to = m_layout.place(end, part.m_first);
      HYPERPLANE_INDEPENDENT
      for (auto place = m_layout.place(begin, part.m_first); place < to; ++place) m_body(place, part.m_first);
    } else {
      m_body(index, m_layout.vector_at(index));
    }
  }
};

/// Each value moves as many bytes.
template <class Layout, ExecutionSpace Exec, class Body>
void launch_tall(const char* label, const Exec& exec, const Layout& layout, double bytes, const Body& body) {
  using Kernel = TallElements<Exec, Layout, Body>;
  Kernel const kernel{layout, body};
  launch(label, LongIndexRange<Exec>(exec, 0, kernel.indices()),
         bytes * (HostExecutionSpace<Exec> ? double{Layout::beside} * Kernel::together : 1.0), kernel);
}

/// Partial sums of vectors: `count` of each, of vector j in places v * vectors + j.
template <int count, class Layout, class Body>
struct TallReduceChunk {
  // As ReduceIndexChunk, so that sums are those of a vector alone.
  static constexpr int lanes = 16;
  static constexpr std::int64_t block = 4096;
  static constexpr int beside = Layout::beside;
  static constexpr int width = count * beside;
  /// From one lane to the next.
  static constexpr int stride = Layout::side_by_side ? width : 1;

  Layout m_layout;
  Body m_body;
  double* m_partial;
  std::int64_t m_chunk;
  std::int64_t m_chunks;

  void operator()(std::int64_t index) const {
    // A copy, which what is written cannot change.
    Body const body = m_body;
    auto const part = TallChunk::of(index, m_chunks);
    auto const end = std::min((part.m_chunk + 1) * m_chunk, m_layout.m_size);
    double total[std::size_t{width}] = {};
    for (std::int64_t begin = part.m_chunk * m_chunk; begin < end; begin += block) {
      auto const block_end = std::min(begin + block, end);
      double values[std::size_t{lanes * width}] = {};
      std::int64_t e = begin;
      for (; e + lanes <= block_end; e += lanes) add_lanes(body, e, part.m_first, values);
      for (; e < block_end; ++e) add(body, e, part.m_first, values);
      for (int v = 0; v < width; ++v) {
        double* const row = values + (Layout::side_by_side ? v : v * lanes);
        join_row<SumJoin>(row, lanes, stride);
        total[v] += *row;
      }
    }
    double* const partial = m_partial + part.m_chunk * (count * Layout::vectors) + part.m_first;
    for (int v = 0; v < count; ++v) std::copy_n(total + v * beside, beside, partial + v * Layout::vectors);
  }

 private:
  // In the lanes of the processor's vectors are the vectors, or the lanes of one of them.
  HYPERPLANE_FORCEINLINE_HOST_FUNCTION void add_lanes(const Body& body, std::int64_t e, int first,
                                                      double* values) const {
    if constexpr (Layout::side_by_side) {
      for (int lane = 0; lane < lanes; ++lane) add(body, e + lane, first, values + lane * stride);
    } else {
      HYPERPLANE_INDEPENDENT
      for (int lane = 0; lane < lanes; ++lane) add(body, e + lane, first, values + lane * stride);
    }
  }
  HYPERPLANE_FORCEINLINE_HOST_FUNCTION void add(const Body& body, std::int64_t e, int first, double* values) const {
    HYPERPLANE_INDEPENDENT
    for (int j = 0; j < beside; ++j) {
      auto const found = body(m_layout.place(e, first + j), first + j);
      for (int v = 0; v < count; ++v) values[Layout::side_by_side ? v * beside + j : v * lanes] += found.m_values[v];
    }
  }
};

/// A part of the elements of one vector: those that are `parts` apart, so that neighbouring threads have neighbours.
template <int count, class Layout, class Body>
struct TallReducePart {
  Layout m_layout;
  Body m_body;
  double* m_partial;
  std::int64_t m_parts;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    Layout const parts{m_parts};
    int const j = parts.vector_at(index);
    auto const part = parts.element_at(index, j);
    double sums[std::size_t{count}] = {};
    for (std::int64_t e = part; e < m_layout.m_size; e += m_parts) {
      auto const found = m_body(m_layout.place(e, j), j);
      for (int v = 0; v < count; ++v) sums[v] += found.m_values[v];
    }
    for (int v = 0; v < count; ++v) m_partial[(part * count + v) * Layout::vectors + j] = sums[v];
  }
};

/// One tree for each value.
template <int width>
struct TallReduceJoin {
  double* m_partial;
  int m_parts;
  KOKKOS_FUNCTION void operator()(std::int64_t value) const { join_row<SumJoin>(m_partial + value, m_parts, width); }
};

/// On devices: adds up each `tall_fold` rows of partial sums, those that are as many apart as are left.
inline constexpr std::int64_t tall_fold = 16;
template <int width>
struct TallReduceFold {
  double* m_partial;
  std::int64_t m_left;
  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    double sum = m_partial[index];
    for (int q = 1; q < tall_fold; ++q) sum += m_partial[q * m_left * width + index];
    m_partial[index] = sum;
  }
};

template <class Finish>
struct TallReduceFinish {
  const double* m_sums;
  Finish m_finish;
  KOKKOS_FUNCTION void operator()(std::int64_t j) const { m_finish(m_sums, static_cast<int>(j)); }
};

/// Sums over the elements of several vectors, each with the order of its own that Reducer has on hosts. A plan: the
/// constructor allocates; a sum is three launches, on devices two and one for each factor of 16 in 65536 or in the
/// number of elements, without allocation and fence.
template <ExecutionSpace Exec, class Layout>
class TallReducer {
 public:
  static constexpr int most = 2;  ///< sums of each vector
  static constexpr int vectors = Layout::vectors;

  TallReducer(const Exec& exec, const Layout& layout)
      : m_layout(layout),
        m_parts(parts_of(layout.m_size)),
        m_memory(Kokkos::view_alloc(exec, "Hyperplane::TallReducer::memory"), as_size(m_parts * most * vectors)) {}

  /// body(place, j) returns Sums<count> of a value of vector j, and may write that place of vectors; finish(sums, j)
  /// has those of all vectors, sum v of vector j at v * vectors + j, and is called for each j.
  template <int count, class Body, class Finish>
  void run(const Exec& exec, const std::string& label, const Body& body, const Finish& finish) const {
    static_assert(count <= most);
    using Indices = LongIndexRange<Exec>;
    constexpr int width = count * vectors;
    double* const partial = m_memory.data();
    if constexpr (HostExecutionSpace<Exec>) {
      using Kernel = TallReduceChunk<count, Layout, Body>;
      auto const size = m_layout.m_size;
      auto const chunk = (size + Kernel::block * m_parts - 1) / (Kernel::block * m_parts) * Kernel::block;
      auto const used = size > 0 ? (size + chunk - 1) / chunk : 0;
      double const bytes = 2.0 * sizeof(double) * Layout::beside * static_cast<double>(std::min(chunk, size));
      launch(label, Indices(exec, 0, used * (vectors / Layout::beside)), bytes,
             Kernel{m_layout, body, partial, chunk, used});
      if (used == 0) Kokkos::deep_copy(exec, m_memory, 0.0);
      launch(label + "::join", Indices(exec, 0, width), 1.0 * sizeof(double),
             TallReduceJoin<width>{partial, static_cast<int>(used)});
    } else {
      launch(label, Indices(exec, 0, m_parts * vectors), 1.0 * sizeof(double),
             TallReducePart<count, Layout, Body>{m_layout, body, partial, m_parts});
      for (auto left = m_parts / tall_fold; left > 0; left /= tall_fold) {
        launch(label + "::fold", Indices(exec, 0, left * width), 1.0 * sizeof(double),
               TallReduceFold<width>{partial, left});
      }
    }
    launch(label + "::finish", Indices(exec, 0, vectors), 1.0 * sizeof(double),
           TallReduceFinish<Finish>{partial, finish});
  }

 private:
  static std::int64_t parts_of(std::int64_t size) {
    if constexpr (HostExecutionSpace<Exec>) return reduce_parts;
    // A power of tall_fold.
    std::int64_t parts = tall_fold;
    while (parts < size && parts < 65536) parts *= tall_fold;
    return parts;
  }

  Layout m_layout;
  std::int64_t m_parts;
  Kokkos::View<double*, typename Exec::memory_space> m_memory;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
