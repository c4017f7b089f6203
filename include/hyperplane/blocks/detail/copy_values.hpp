// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Scalar>
struct CopyValues {
  const Scalar* m_from;
  Scalar* m_to;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const { m_to[e] = m_from[e]; }
};

template <ExecutionSpace Exec, class Scalar>
void copy_values(const std::string& label, const Exec& exec, const Scalar* from, Scalar* to, std::size_t size) {
  launch(label, LongIndexRange<Exec>(exec, 0, static_cast<std::int64_t>(size)), 2.0 * sizeof(Scalar),
         CopyValues<Scalar>{from, to});
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
