// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/nest.hpp>
#include <hyperplane/array/detail/nest_lanes.hpp>
#include <hyperplane/array/run_range.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A chunk of parts of rows; elements of a row do not depend on one another.
template <class T, int arrays, class Op>
struct ForEachChunk {
  Nest<T, arrays> m_nest;
  NestParts m_parts;
  Op m_op;
  std::int64_t m_chunk;

  ForEachChunk(const Nest<T, arrays>& nest, const Op& op)
      : m_nest(nest), m_parts(nest), m_op(op), m_chunk(m_parts.parts_of_chunk()) {}
  std::int64_t count() const { return (m_parts.m_parts + m_chunk - 1) / m_chunk; }

  void operator()(std::int64_t index) const {
    auto const op = resolved(m_op);
    auto const begin = index * m_chunk;
    auto const end = std::min(begin + m_chunk, m_parts.m_parts);
    if (m_nest.contiguous()) {
      m_parts.run(m_nest, begin, end, [&](T* const(&elements)[std::size_t{arrays}], int length) {
        HYPERPLANE_INDEPENDENT
        for (int i = 0; i < length; ++i) call_with_elements(op, elements, i);
      });
    } else {
      m_parts.run(m_nest, begin, end, [&](T*(&elements)[std::size_t{arrays}], int length) {
        for (int i = 0; i < length; ++i) {
          call_with_elements(op, elements);
          for (int a = 0; a < arrays; ++a) elements[a] += m_nest.m_strides[a][0];
        }
      });
    }
  }
};

/// The operation on copies of an element of each array, of which the last goes back: compilers cannot know that it is
/// none of those that other elements are read from, and would let one access wait for the other.
template <class T, int arrays, class Op>
struct ElementCopies {
  T m_values[std::size_t{arrays}];

  KOKKOS_FUNCTION void load(T* const (&places)[std::size_t{arrays}], std::int64_t i) {
    HYPERPLANE_UNROLL
    for (int a = 0; a < arrays - (Op::overwrites ? 1 : 0); ++a) m_values[a] = places[a][i];
  }
  KOKKOS_FUNCTION void apply(const Op& op, T* const (&places)[std::size_t{arrays}], std::int64_t i) {
    T* values[std::size_t{arrays}];
    HYPERPLANE_UNROLL
    for (int a = 0; a < arrays; ++a) values[a] = &m_values[a];
    call_with_elements(op, values);
    places[arrays - 1][i] = m_values[arrays - 1];
  }
};

/// Rows of neighbours: a group of lanes for each part.
template <class T, int arrays, class Op>
struct ForEachPart {
  /// 512 bytes of an array a part.
  static constexpr int elements_of_lane = 16 / static_cast<int>(sizeof(T));

  Nest<T, arrays> m_nest;
  NestLanes m_lanes;
  Op m_op;

  ForEachPart(const Nest<T, arrays>& nest, const Op& op) : m_nest(nest), m_lanes(nest, elements_of_lane), m_op(op) {}
  std::int64_t count() const { return m_lanes.m_parts * NestLanes::lanes; }

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    auto const op = resolved(m_op);
    T* places[std::size_t{arrays}];
    auto const share =
        m_lanes.locate(m_nest, index / NestLanes::lanes, static_cast<int>(index % NestLanes::lanes), places);
    int const count = share.m_count;
    if constexpr (Op::overwrites) share.prefetch_row_ends(places[arrays - 1]);
    ElementCopies<T, arrays, Op> elements[std::size_t{elements_of_lane}]{};
    HYPERPLANE_UNROLL
    for (int e = 0; e < elements_of_lane; ++e) {
      if (e * NestLanes::lanes < count) elements[e].load(places, e * NestLanes::lanes);
    }
    HYPERPLANE_UNROLL
    for (int e = 0; e < elements_of_lane; ++e) {
      if (e * NestLanes::lanes < count) elements[e].apply(op, places, e * NestLanes::lanes);
    }
  }
};

/// Any strides. Element e, e + lanes, ...: neighbouring threads have neighbouring elements, and each several of them,
/// so that their accesses are under way at the same time.
template <class T, int arrays, class Op>
struct ForEachLane {
  static constexpr int elements_of_lane = 4;

  Nest<T, arrays> m_nest;
  Op m_op;
  std::int64_t m_size;
  std::int64_t m_lanes;
  NestDigits m_step;

  ForEachLane(const Nest<T, arrays>& nest, const Op& op)
      : m_nest(nest),
        m_op(op),
        m_size(nest.size()),
        m_lanes((m_size + elements_of_lane - 1) / elements_of_lane),
        m_step(m_lanes, nest.m_extents) {}
  std::int64_t count() const { return m_lanes; }

  KOKKOS_FUNCTION void operator()(std::int64_t lane) const {
    auto const op = resolved(m_op);
    T* places[std::size_t{elements_of_lane}][std::size_t{arrays}];
    NestDigits digits(lane, m_nest.m_extents);
    HYPERPLANE_UNROLL
    for (int e = 0; e < elements_of_lane; ++e) {
      digits.locate(m_nest, places[e]);
      digits.advance(m_step, m_nest.m_extents);
    }
    ElementCopies<T, arrays, Op> elements[elements_of_lane]{};
    HYPERPLANE_UNROLL
    for (int e = 0; e < elements_of_lane; ++e) {
      if (lane + e * m_lanes < m_size) elements[e].load(places[e], 0);
    }
    HYPERPLANE_UNROLL
    for (int e = 0; e < elements_of_lane; ++e) {
      if (lane + e * m_lanes < m_size) elements[e].apply(op, places[e], 0);
    }
  }
};

/// op(a[0], a[1], ...) for every element of a nest, of which the operation writes the last: one launch, asynchronous,
/// no allocation.
template <ExecutionSpace Exec, class T, int arrays, class Op>
void for_each(const Exec& exec, const std::string& label, Nest<T, arrays> nest, const Op& op) {
  if (nest.size() == 0) return;
  nest.normalize();
  auto const run = [&](const auto& kernel) {
    run_range(exec, label, kernel.count(), 1.0 * arrays * sizeof(T) * static_cast<double>(nest.size()), kernel);
  };
  if constexpr (HostExecutionSpace<Exec>) {
    run(ForEachChunk<T, arrays, Op>(nest, op));
  } else if (NestLanes::suits(nest)) {
    run(ForEachPart<T, arrays, Op>(nest, op));
  } else {
    run(ForEachLane<T, arrays, Op>(nest, op));
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
