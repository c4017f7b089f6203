// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Runs sweeps in another way than the paths of TriangularSweeps do. An interface, so that the kernels that are there
/// to compare with the papers are compiled only in files that ask for them (sweep/comparison_paths.hpp).
template <class Scalar, int n, class Exec, class Storage, int vector_length>
class ComparisonSweeps {
 public:
  using Factors = TriangularFactors<Storage, n, vector_length>;
  using VectorRef = BlockVectorRef<Scalar, n, vector_length>;

  explicit ComparisonSweeps(const Grid& grid) : m_grid(grid) {}
  ComparisonSweeps(const ComparisonSweeps&) = delete;
  ComparisonSweeps& operator=(const ComparisonSweeps&) = delete;
  virtual ~ComparisonSweeps() = default;

  /// The grid that it was made for.
  const Grid& grid() const { return m_grid; }

  /// For one vector. Allocates nothing, waits for nothing.
  virtual void solve(const Exec& exec, Sweeps sweeps, const Factors& factors, const VectorRef& rhs,
                     const VectorRef& x) = 0;

 private:
  Grid m_grid;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
