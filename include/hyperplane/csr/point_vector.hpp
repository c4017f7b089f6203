// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/error.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// n unknowns for each of a number of points without a grid, unknown c of point p at p * n + c: the vector of Krylov
/// methods (KrylovVector) for BlockCsr and LineImplicitCsr, which take the view that it is.
///
/// A shared handle with the semantics of a Kokkos::View. Memory: n values per point.
template <Real Scalar, int n, ExecutionSpace Exec>
class PointVector {
 public:
  static_assert(n >= 1 && n <= max_block_size);
  using scalar_type = Scalar;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  using Flat = Kokkos::View<Scalar*, memory_space>;
  static constexpr int block_size = n;

  /// Allocates and sets to zero.
  PointVector(const Exec& exec, std::int64_t points, const std::string& label = "Hyperplane::PointVector")
      : m_flat(Kokkos::view_alloc(exec, label), detail::as_size(checked(points) * n)) {}
  /// Takes memory that the caller has. Throws Error where the number of values is no multiple of n.
  explicit PointVector(const Flat& values) : m_flat(values) {
    if (values.size() % n != 0) {
      fail("PointVector: " + std::to_string(values.size()) + " values are not " + std::to_string(n) +
           " for each of some points");
    }
  }

  std::int64_t points() const { return static_cast<std::int64_t>(m_flat.size()) / n; }
  const Flat& flat() const { return m_flat; }
  operator const Flat&() const { return m_flat; }  // NOLINT(google-explicit-constructor)

 private:
  static std::int64_t checked(std::int64_t points) {
    if (points < 0) fail("PointVector: " + std::to_string(points) + " points are not possible");
    return points;
  }

  Flat m_flat;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
