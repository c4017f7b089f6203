// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/detail/spread_colours.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/core/to_space.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The first of the n x n values of a coefficient. (A View of plain pointers would be one of more dimensions.)
template <class Storage>
struct CoefficientAddress {
  const Storage* m_values;
};

/// An index is a value.
template <class Storage, int n>
struct CopyCoefficients {
  const CoefficientAddress<Storage>* m_from;
  Storage* m_to;

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    m_to[index] = m_from[index / (n * n)].m_values[index % (n * n)];
  }
};

/// Copies of coefficients that other parts have, in the memory of one part, which brings them when a colour is
/// factored.
template <class Storage, int n, ExecutionSpace Exec>
class CoefficientCopies {
 public:
  /// `from` has an address for each origin, and the copies come to the end of `values`. Waits for the instance.
  CoefficientCopies(const Exec& exec, const std::vector<CoefficientOrigin>& origins,
                    const std::vector<CoefficientAddress<Storage>>& from, int colours,
                    const Kokkos::View<Storage*, typename Exec::memory_space>& values)
      : m_from(to_space(exec, "Hyperplane::MultiBlockOnDevices::coefficients", from)),
        m_to(values.data() + (values.size() - from.size() * n * n)) {
    for (int colour = 0; colour <= colours; ++colour) {
      m_begin.push_back(std::ranges::lower_bound(origins, colour, {}, &CoefficientOrigin::colour) - origins.begin());
    }
  }

  /// Those of couplings of a colour's points.
  void bring(const Exec& exec, int colour) const {
    auto const begin = m_begin[as_size(colour)], end = m_begin[as_size(colour) + 1];
    if (begin == end) return;
    launch("Hyperplane::MultiBlockOnDevices::factor::copy", LongIndexRange<Exec>(exec, begin * (n * n), end * (n * n)),
           2.0 * sizeof(Storage), CopyCoefficients<Storage, n>{m_from.data(), m_to});
  }

 private:
  Kokkos::View<CoefficientAddress<Storage>*, typename Exec::memory_space> m_from;
  Storage* m_to;
  std::vector<std::int64_t> m_begin;  ///< of each colour, and the end
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
