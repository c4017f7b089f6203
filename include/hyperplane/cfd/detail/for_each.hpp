// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cfd/detail/nest.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/detail/timer_callbacks.hpp>
#include <hyperplane/core/macros.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

namespace hyperplane::detail {

/// A chunk of parts of rows; elements of a row do not depend on one another.
template <class T, int arrays, class Op>
struct ForEachChunk {
  Nest<T, arrays> m_nest;
  NestParts m_parts;
  Op m_op;
  std::int64_t m_chunk;

  void operator()(std::int64_t index) const {
    auto const op = resolved(m_op);
    auto const begin = index * m_chunk;
    auto const end = std::min(begin + m_chunk, m_parts.m_parts);
    if (m_nest.contiguous()) {
      m_parts.run(m_nest, begin, end, [&](T* const(&elements)[arrays], int length) {
        HYPERPLANE_INDEPENDENT
        for (int i = 0; i < length; ++i) call_with_elements(op, elements, i);
      });
    } else {
      m_parts.run(m_nest, begin, end, [&](T*(&elements)[arrays], int length) {
        for (int i = 0; i < length; ++i) {
          call_with_elements(op, elements);
          for (int a = 0; a < arrays; ++a) elements[a] += m_nest.m_strides[a][0];
        }
      });
    }
  }
};

/// Element e, e + lanes, ...: neighbouring threads have neighbouring elements, and each several of them, so that their
/// accesses are under way at the same time.
template <class T, int arrays, class Op>
struct ForEachLane {
  static constexpr int elements_of_lane = 4;

  Nest<T, arrays> m_nest;
  Op m_op;
  std::int64_t m_size;
  std::int64_t m_lanes;
  NestDigits m_step;

  KOKKOS_FUNCTION void operator()(std::int64_t lane) const {
    auto const op = resolved(m_op);
    T* places[elements_of_lane][arrays];
    if (m_nest.rows() == 1) {
      HYPERPLANE_UNROLL
      for (int e = 0; e < elements_of_lane; ++e) {
        HYPERPLANE_UNROLL
        for (int a = 0; a < arrays; ++a) {
          places[e][a] = m_nest.m_data[a] + (lane + e * m_lanes) * m_nest.m_strides[a][0];
        }
      }
    } else {
      NestDigits digits(lane, m_nest.m_extents);
      HYPERPLANE_UNROLL
      for (int e = 0; e < elements_of_lane; ++e) {
        digits.locate(m_nest, places[e]);
        digits.advance(m_step, m_nest.m_extents);
      }
    }
    HYPERPLANE_UNROLL
    for (int e = 0; e < elements_of_lane; ++e) {
      if (lane + e * m_lanes < m_size) call_with_elements(op, places[e]);
    }
  }
};

/// op(a[0], a[1], ...) for every element of a nest: one launch, asynchronous, no allocation.
template <ExecutionSpace Exec, class T, int arrays, class Op>
void for_each(const Exec& exec, const std::string& label, Nest<T, arrays> nest, const Op& op) {
  auto const size = nest.size();
  if (size == 0) return;
  nest.normalize();
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  if constexpr (HostExecutionSpace<Exec>) {
    NestParts const parts(nest);
    auto const chunk = parts.parts_of_chunk();
    Kokkos::parallel_for(label, Policy(exec, 0, (parts.m_parts + chunk - 1) / chunk),
                         ForEachChunk<T, arrays, Op>{nest, parts, op, chunk});
  } else {
    using Kernel = ForEachLane<T, arrays, Op>;
    auto const lanes = (size + Kernel::elements_of_lane - 1) / Kernel::elements_of_lane;
    Kokkos::parallel_for(label, Policy(exec, 0, lanes),
                         Kernel{nest, op, size, lanes, NestDigits(lanes, nest.m_extents)});
  }
}

}  // namespace hyperplane::detail
