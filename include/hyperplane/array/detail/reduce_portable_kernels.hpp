// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/nest.hpp>
#include <hyperplane/array/detail/partials.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/host/prefetch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

/// What the launches of a portable reduction compute.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Rows of partial results that are joined at the end.
inline constexpr int reduce_parts = 1024;
/// Values that one reduction finds.
inline constexpr int reduce_max_values = 8;
/// Lanes of a device's portable reduction.
inline constexpr std::int64_t reduce_lanes = 65536;

template <class Join, class T, int count>
HYPERPLANE_FUNCTION Partials<T, count> identity_of() {
  Partials<T, count> result;
  for (int v = 0; v < count; ++v) result.m_values[v] = Join::template identity<T>();
  return result;
}

/// A chunk of parts of rows: as many independent results as a vector register may have lanes, joined as a tree.
template <class Join, class T, int arrays, class Op>
struct ReduceChunk {
  static constexpr int lanes = 16;
  /// Elements between two times of asking for as many that come later.
  static constexpr int block = 128;
  using Values =
      decltype(call_with_elements(std::declval<const Op&>(), std::declval<T* const (&)[std::size_t{arrays}]>()));
  using Value = typename Values::value_type;
  using Running = typename Join::template Running<Value>;
  static constexpr int count = Values::count;

  Nest<T, arrays> m_nest;
  NestParts m_parts;
  Op m_op;
  Value* m_partial;
  std::int64_t m_chunk;
  std::int64_t m_chunks;

  void operator()(std::int64_t index) const {
    auto const op = resolved(m_op);
    auto const begin = index * m_chunk;
    auto const end = std::min(begin + m_chunk, m_parts.m_parts);
    Running const identity = Join::to_running(Join::template identity<Value>());
    Running total[std::size_t{count}];
    Running values[std::size_t{count}][std::size_t{lanes}];
    int pending = 0;
    for (int v = 0; v < count; ++v) {
      total[v] = identity;
      for (auto& value : values[v]) value = identity;
    }
    auto const join = [&] {
      for (int v = 0; v < count; ++v) {
        join_row<Join>(values[v], lanes);
        total[v] = Join::join(total[v], values[v][0]);
        for (auto& value : values[v]) value = identity;
      }
      pending = 0;
    };
    bool const contiguous = m_nest.contiguous();
    // Of arrays that are there more than once, the first.
    bool asks[std::size_t{arrays}];
    for (int a = 0; a < arrays; ++a) {
      asks[a] =
          host::reads_ahead() && std::find(m_nest.m_data, m_nest.m_data + a, m_nest.m_data[a]) == m_nest.m_data + a;
    }
    m_parts.run(m_nest, begin, end, [&](T*(&elements)[std::size_t{arrays}], int length) {
      int i = 0;
      if (contiguous) {
        while (i + lanes <= length) {
          int const stop = std::min(i + block, length - lanes + 1);
          for (int a = 0; a < arrays; ++a) {
            if (asks[a]) host::prefetch_values(elements[a] + i + host::values_ahead<T>, stop - i);
          }
          for (; i < stop; i += lanes) {
            HYPERPLANE_INDEPENDENT
            for (int lane = 0; lane < lanes; ++lane) add(op, elements, i + lane, values, lane);
          }
        }
        for (; i < length; ++i) add(op, elements, i, values, i % lanes);
      } else {
        for (; i < length; ++i) {
          add(op, elements, 0, values, i % lanes);
          for (int a = 0; a < arrays; ++a) elements[a] += m_nest.m_strides[a][0];
        }
      }
      // So that a lane adds up a few hundred elements at most.
      pending += length;
      if (pending >= NestParts::longest_part) join();
    });
    join();
    for (int v = 0; v < count; ++v) m_partial[v * m_chunks + index] = Join::template from_running<Value>(total[v]);
  }

 private:
  HYPERPLANE_FORCEINLINE_HOST_FUNCTION static void add(const Op& op, T* const (&elements)[std::size_t{arrays}],
                                                       std::int64_t i,
                                                       Running (&values)[std::size_t{count}][std::size_t{lanes}],
                                                       int lane) {
    auto const found = call_with_elements(op, elements, i);
    for (int v = 0; v < count; ++v) values[v][lane] = Join::join(values[v][lane], Join::to_running(found.m_values[v]));
  }
};

/// Lane t joins elements t, t + lanes, ...: neighbouring threads have neighbouring elements.
template <class Join, class T, int arrays, class Op>
struct ReduceLane {
  using Values =
      decltype(call_with_elements(std::declval<const Op&>(), std::declval<T* const (&)[std::size_t{arrays}]>()));
  using Value = typename Values::value_type;
  static constexpr int count = Values::count;

  Nest<T, arrays> m_nest;
  Op m_op;
  Value* m_partial;
  std::int64_t m_size;
  NestDigits m_step;

  KOKKOS_FUNCTION void operator()(std::int64_t lane) const {
    auto const op = resolved(m_op);
    auto result = identity_of<Join, Value, count>();
    NestDigits digits(lane, m_nest.m_extents);
    for (std::int64_t e = lane; e < m_size; e += reduce_lanes) {
      T* elements[std::size_t{arrays}];
      digits.locate(m_nest, elements);
      auto const found = call_with_elements(op, elements);
      for (int v = 0; v < count; ++v) result.m_values[v] = Join::join(result.m_values[v], found.m_values[v]);
      digits.advance(m_step, m_nest.m_extents);
    }
    for (int v = 0; v < count; ++v) m_partial[v * reduce_lanes + lane] = result.m_values[v];
  }
};

/// As ReduceChunk, of what body(e) returns for indices e.
template <class Join, class Body>
struct ReduceIndexChunk {
  static constexpr int lanes = 16;
  /// A lane joins some hundred values.
  static constexpr std::int64_t block = 4096;
  using Values = decltype(std::declval<const Body&>()(std::int64_t{}));
  using Value = typename Values::value_type;
  using Running = typename Join::template Running<Value>;
  static constexpr int count = Values::count;

  Body m_body;
  std::int64_t m_size;
  Value* m_partial;
  std::int64_t m_chunk;
  std::int64_t m_chunks;

  void operator()(std::int64_t index) const {
    auto const end = std::min((index + 1) * m_chunk, m_size);
    Running const identity = Join::to_running(Join::template identity<Value>());
    Running total[std::size_t{count}];
    std::fill_n(total, count, identity);
    for (std::int64_t begin = index * m_chunk; begin < end; begin += block) {
      auto const block_end = std::min(begin + block, end);
      Running values[std::size_t{count}][std::size_t{lanes}];
      for (auto& row : values) std::fill_n(row, lanes, identity);
      std::int64_t e = begin;
      for (; e + lanes <= block_end; e += lanes) {
        HYPERPLANE_INDEPENDENT
        for (int lane = 0; lane < lanes; ++lane) join(m_body(e + lane), values, lane);
      }
      for (; e < block_end; ++e) join(m_body(e), values, 0);
      for (int v = 0; v < count; ++v) {
        join_row<Join>(values[v], lanes);
        total[v] = Join::join(total[v], values[v][0]);
      }
    }
    for (int v = 0; v < count; ++v) m_partial[v * m_chunks + index] = Join::template from_running<Value>(total[v]);
  }

 private:
  HYPERPLANE_FORCEINLINE_HOST_FUNCTION static void join(const Values& found,
                                                        Running (&values)[std::size_t{count}][std::size_t{lanes}],
                                                        int lane) {
    for (int v = 0; v < count; ++v) values[v][lane] = Join::join(values[v][lane], Join::to_running(found.m_values[v]));
  }
};

/// As ReduceLane.
template <class Join, class Body>
struct ReduceIndexLane {
  using Values = decltype(std::declval<const Body&>()(std::int64_t{}));
  using Value = typename Values::value_type;
  static constexpr int count = Values::count;

  Body m_body;
  std::int64_t m_size;
  Value* m_partial;

  KOKKOS_FUNCTION void operator()(std::int64_t lane) const {
    auto result = identity_of<Join, Value, count>();
    for (std::int64_t e = lane; e < m_size; e += reduce_lanes) {
      auto const found = m_body(e);
      for (int v = 0; v < count; ++v) result.m_values[v] = Join::join(result.m_values[v], found.m_values[v]);
    }
    for (int v = 0; v < count; ++v) m_partial[v * reduce_lanes + lane] = result.m_values[v];
  }
};

/// Joins the results of lanes that are reduce_parts apart.
template <class Join, class Value>
struct ReduceFold {
  const Value* m_from;
  Value* m_to;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const row = index / reduce_parts;
    Value value = Join::template identity<Value>();
    for (std::int64_t lane = index % reduce_parts; lane < reduce_lanes; lane += reduce_parts) {
      value = Join::join(value, m_from[row * reduce_lanes + lane]);
    }
    m_to[index] = value;
  }
};

template <class Join, int count, class Value, class Finish>
struct ReduceFinish {
  Value* m_partial;
  std::int64_t m_parts;
  Finish m_finish;

  KOKKOS_FUNCTION void operator()(std::int64_t) const {
    Partials<Value, count> result;
    for (int v = 0; v < count; ++v) {
      Value* const row = m_partial + v * m_parts;
      join_row<Join>(row, static_cast<int>(m_parts));
      result.m_values[v] = m_parts > 0 ? row[0] : Join::template identity<Value>();
    }
    m_finish(result);
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
