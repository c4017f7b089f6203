// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/portable_sweep.hpp>
#include <hyperplane/sweep/sweep_bytes.hpp>
#include <hyperplane/sweep/sweep_path.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>
#include <hyperplane/sweep/triangular_sweeps.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A solve with a plan whose grid is a part of a box, or one of its halves, by hyperplanes: points have neighbours
/// outside of it, a SlabOutside of x, which are taken where those inside are. The factorization has kept the blocks
/// that couple them. So parts that are taken in the order of the box have its bits. Throws Error where the path of the
/// plan is not portable.
template <class Scalar, int n, ExecutionSpace Exec, class Storage, class Outside>
void sweep_in_order(const Exec& exec, const TriangularSweeps<Scalar, n, Exec, Storage>& plan, Sweeps sweeps,
                    const BlockVector<Scalar, n, Exec>& rhs, const BlockVector<Scalar, n, Exec>& x,
                    const Outside& outside) {
  using Refs = VectorRefs<typename BlockVector<Scalar, n, Exec>::Ref, 1>;
  if (plan.path() != SweepPath::portable) {
    fail(std::string("TriangularSweeps: path ") + name(plan.path()) + " takes no neighbours outside of a grid");
  }
  count_sweep_bytes<Scalar, n, Storage>(sweeps, false, static_cast<double>(plan.grid().size()), 1);
  portable_sweeps<Scalar, n>(exec, sweeps, plan.factors(), Refs{{rhs.ref()}}, Refs{{x.ref()}}, outside);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
