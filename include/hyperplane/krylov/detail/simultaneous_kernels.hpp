// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <hyperplane/array/reducer.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/krylov/detail/progress.hpp>

/// What kernels of methods for several right-hand sides share. Bodies take the place of a
/// value and the number of its vector.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where the recursions stand, and which of them go on. Scalars: those of a method.
template <class Scalars, int vectors>
struct SimultaneousRef {
  Scalars* m_scalars;
  ProgressRef m_progress[std::size_t{vectors}];
  bool m_goes_on[std::size_t{vectors}];
};

template <class Scalar, class Layout>
struct SimultaneousZero {
  Layout m_layout;
  int m_vector;
  Scalar* m_x;
  KOKKOS_FUNCTION void operator()(std::int64_t e) const { m_x[m_layout.place(e, m_vector)] = Scalar(0); }
};

template <class Scalar>
struct SimultaneousDot {
  const Scalar* m_x;
  const Scalar* m_y;
  KOKKOS_FUNCTION Sums<1> operator()(std::int64_t e, int /*j*/) const {
    return {{static_cast<double>(m_x[e]) * m_y[e]}};
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
