// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/array_ref.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A number for each point of a grid in natural order, i fastest, without padding: the vector of Krylov methods
/// (KrylovVector) for codes that keep their fields so. A shared handle with the semantics of a Kokkos::View.
template <Real Scalar, ExecutionSpace Exec>
class ScalarField {
 public:
  using scalar_type = Scalar;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  using Flat = Kokkos::View<Scalar*, memory_space>;

  /// Allocates and sets to zero.
  ScalarField(const Exec& exec, const Grid& grid, const std::string& label = "Hyperplane::ScalarField")
      : m_grid(grid), m_flat(Kokkos::view_alloc(exec, label), static_cast<std::size_t>(grid.size())) {}
  /// Takes memory that the caller has: a view of as many values as the grid has points.
  ScalarField(const Grid& grid, const Flat& values) : m_grid(grid), m_flat(values) {
    if (static_cast<std::int64_t>(values.size()) != grid.size()) {
      fail("ScalarField: " + std::to_string(values.size()) + " values for a grid of " + to_string(grid) + " points");
    }
  }

  const Grid& grid() const { return m_grid; }
  const Flat& flat() const { return m_flat; }

  friend ArrayRef<Scalar> array_ref(const ScalarField& field) {
    auto const& grid = field.m_grid;
    return {field.m_flat.data(), {grid.ni(), grid.nj(), grid.nk()}};
  }

 private:
  Grid m_grid;
  Flat m_flat;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
