// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/block_ilu0_part_cuda.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/ssor/ssor_part_cuda.hpp>
#include <hyperplane/ssor/ssor_relaxation.hpp>
#include <hyperplane/sweep/triangular_sweeps_options.hpp>

#include <Kokkos_Core.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The part of a box that a device has of P, and its options; check() throws what P throws where those of P are out of
/// range.
template <class P>
struct PartOf {};
template <class Scalar, int n, CudaExecutionSpace Exec, Real Storage>
struct PartOf<BlockIlu0<Scalar, n, Exec, Storage>> {
  using Type = BlockIlu0Part<Scalar, n, Exec, Storage>;
  static void check(const BlockIlu0Options& options) {
    check_sweeps_options("BlockIlu0",
                         {.multiprocessors = options.multiprocessors, .right_hand_sides = options.right_hand_sides});
  }
  static BlockIlu0PartOptions options(const BlockIlu0Options& options) {
    return {.multiprocessors = options.multiprocessors};
  }
};
template <class Scalar, int n, CudaExecutionSpace Exec, Real Storage>
struct PartOf<Ssor<Scalar, n, Exec, Storage>> {
  using Type = SsorPart<Scalar, n, Exec, Storage>;
  static void check(const SsorOptions& options) {
    checked_ssor_relaxation("Ssor", options.relaxation);
    check_sweeps_options("Ssor", {.right_hand_sides = options.right_hand_sides});
  }
  static SsorPartOptions options(const SsorOptions& options) { return {.relaxation = options.relaxation}; }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
