// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/macros.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

/// Loops and sums over several vectors side by side: value e of vector j is element e * vectors + j.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// body(e, j) for all vectors: on hosts one after the other in the lanes of the processor's vectors, on devices by a
/// thread each.
template <class Exec, int vectors, class Body>
struct TallElements {
  Body m_body;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    if constexpr (HostExecutionSpace<Exec>) {
      HYPERPLANE_INDEPENDENT
      for (int j = 0; j < vectors; ++j) m_body(index, j);
    } else {
      m_body(index / vectors, static_cast<int>(index % vectors));
    }
  }
};

/// Each element moves as many bytes.
template <int vectors, ExecutionSpace Exec, class Body>
void launch_tall(const char* label, const Exec& exec, std::int64_t size, double bytes, const Body& body) {
  constexpr int together = HostExecutionSpace<Exec> ? vectors : 1;
  launch(label, LongIndexRange<Exec>(exec, 0, size * (vectors / together)), bytes * together,
         TallElements<Exec, vectors, Body>{body});
}

/// Partial sums of vectors: `count` of each, of vector j in places v * vectors + j.
template <int count, int vectors, class Body>
struct TallReduceChunk {
  // As ReduceIndexChunk, so that sums are those of a vector alone.
  static constexpr int lanes = 16;
  static constexpr std::int64_t block = 4096;
  static constexpr int width = count * vectors;

  Body m_body;
  std::int64_t m_size;
  double* m_partial;
  std::int64_t m_chunk;

  void operator()(std::int64_t index) const {
    // A copy, which what is written cannot change.
    Body const body = m_body;
    auto const end = std::min((index + 1) * m_chunk, m_size);
    double* const total = m_partial + index * width;
    std::fill_n(total, width, 0.0);
    for (std::int64_t begin = index * m_chunk; begin < end; begin += block) {
      auto const block_end = std::min(begin + block, end);
      double values[std::size_t{lanes}][std::size_t{width}] = {};
      std::int64_t e = begin;
      for (; e + lanes <= block_end; e += lanes) {
        for (int lane = 0; lane < lanes; ++lane) add(body, e + lane, values[lane]);
      }
      for (; e < block_end; ++e) add(body, e, values[0]);
      for (int v = 0; v < width; ++v) {
        join_row<SumJoin>(values[0] + v, lanes, width);
        total[v] += values[0][v];
      }
    }
  }

 private:
  HYPERPLANE_FORCEINLINE_HOST_FUNCTION static void add(const Body& body, std::int64_t e,
                                                       double (&values)[std::size_t{width}]) {
    HYPERPLANE_INDEPENDENT
    for (int j = 0; j < vectors; ++j) {
      auto const found = body(e, j);
      for (int v = 0; v < count; ++v) values[v * vectors + j] += found.m_values[v];
    }
  }
};

/// A part of the elements of one vector: those that are `parts` apart, so that neighbouring threads have neighbours.
template <int count, int vectors, class Body>
struct TallReducePart {
  Body m_body;
  std::int64_t m_size;
  double* m_partial;
  std::int64_t m_parts;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const part = index / vectors;
    int const j = static_cast<int>(index % vectors);
    double sums[std::size_t{count}] = {};
    for (std::int64_t e = part; e < m_size; e += m_parts) {
      auto const found = m_body(e, j);
      for (int v = 0; v < count; ++v) sums[v] += found.m_values[v];
    }
    for (int v = 0; v < count; ++v) m_partial[(part * count + v) * vectors + j] = sums[v];
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
template <ExecutionSpace Exec, int vectors>
class TallReducer {
 public:
  static constexpr int most = 2;  ///< sums of each vector

  TallReducer(const Exec& exec, std::int64_t size)
      : m_size(size),
        m_parts(parts_of(size)),
        m_memory(Kokkos::view_alloc(exec, "Hyperplane::TallReducer::memory"), as_size(m_parts * most * vectors)) {}

  /// body(e, j) returns Sums<count> of element e of vector j, and may write element e of vectors; finish(sums, j) has
  /// those of all vectors, sum v of vector j at v * vectors + j, and is called for each j.
  template <int count, class Body, class Finish>
  void run(const Exec& exec, const std::string& label, const Body& body, const Finish& finish) const {
    static_assert(count <= most);
    using Indices = LongIndexRange<Exec>;
    constexpr int width = count * vectors;
    double* const partial = m_memory.data();
    if constexpr (HostExecutionSpace<Exec>) {
      using Kernel = TallReduceChunk<count, vectors, Body>;
      auto const chunk = (m_size + Kernel::block * m_parts - 1) / (Kernel::block * m_parts) * Kernel::block;
      auto const used = m_size > 0 ? (m_size + chunk - 1) / chunk : 0;
      double const bytes = 2.0 * sizeof(double) * vectors * static_cast<double>(std::min(chunk, m_size));
      launch(label, Indices(exec, 0, used), bytes, Kernel{body, m_size, partial, chunk});
      if (used == 0) Kokkos::deep_copy(exec, m_memory, 0.0);
      launch(label + "::join", Indices(exec, 0, width), 1.0 * sizeof(double),
             TallReduceJoin<width>{partial, static_cast<int>(used)});
    } else {
      launch(label, Indices(exec, 0, m_parts * vectors), 1.0 * sizeof(double),
             TallReducePart<count, vectors, Body>{body, m_size, partial, m_parts});
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

  std::int64_t m_size;
  std::int64_t m_parts;
  Kokkos::View<double*, typename Exec::memory_space> m_memory;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
