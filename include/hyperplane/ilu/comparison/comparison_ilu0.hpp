// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/sweep/comparison_sweeps.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <type_traits>
#include <variant>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Runs sweeps and factorizations in another way than the paths of BlockIlu0 do, see ComparisonSweeps.
template <class Scalar, int n, class Exec, class Storage, int vector_length>
class ComparisonIlu0 : public ComparisonSweeps<Scalar, n, Exec, Storage, vector_length> {
  using Base = ComparisonSweeps<Scalar, n, Exec, Storage, vector_length>;
  using Narrow = BlockStencil7Ref<float, n, vector_length>;

 public:
  using Base::Base;
  using Factors = TriangularFactors<Storage, n, vector_length>;
  /// Of either storage.
  using Matrix = std::conditional_t<std::is_same_v<Scalar, float>, std::variant<Narrow>,
                                    std::variant<BlockStencil7Ref<Scalar, n, vector_length>, Narrow>>;

  /// Allocates nothing, waits for nothing.
  virtual void factor(const Exec& exec, const Matrix& a, const Factors& factors,
                      const SingularPivotRecord<Exec>& singular) = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
