// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/grouped_factor.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/jacobi/grouped_block_jacobi.hpp>
#include <hyperplane/sip/grouped_sip_factor.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/grouped_ssor_factor.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/sweep/grouped_sweeps.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <hyperplane/ilu/grouped_factor_cuda.hpp>
#include <hyperplane/sip/grouped_sip_factor_cuda.hpp>
#include <hyperplane/sweep/grouped_sweeps_cuda.hpp>
#endif

#include <variant>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What solves with the preconditioners of several grid blocks together; none, where they follow one another.
template <class P>
struct GroupedSweepsOf {
  using Type = std::monostate;
};
template <class Scalar, int n, class Exec, StorageReal Storage>
  requires(GroupedSweeps<Scalar, n, Exec, Storage>::exists)
struct GroupedSweepsOf<BlockIlu0<Scalar, n, Exec, Storage>> {
  using Type = GroupedSweeps<Scalar, n, Exec, Storage>;
};
template <class Scalar, int n, class Exec, StorageReal Storage>
  requires(GroupedSweeps<Scalar, n, Exec, Storage>::exists)
struct GroupedSweepsOf<Ssor<Scalar, n, Exec, Storage>> {
  using Type = GroupedSweeps<Scalar, n, Exec, Storage>;
};
template <class Scalar, class Exec, class Storage>
  requires(GroupedSweeps<Scalar, 1, Exec, Storage>::exists && GroupedSipFactor<Scalar, Exec, Storage>::exists)
struct GroupedSweepsOf<Sip<Scalar, Exec, Storage>> {
  using Type = GroupedSweeps<Scalar, 1, Exec, Storage>;
};
template <class Scalar, int n, class Exec, class Storage>
struct GroupedSweepsOf<BlockJacobi<Scalar, n, Exec, Storage>> {
  using Type = GroupedBlockJacobi<Scalar, n, Exec, Storage>;
};

/// The plan of a preconditioner that it takes.
template <class P>
const auto& grouped_plan(const P& preconditioner) {
  if constexpr (requires { preconditioner.sweeps(); }) {
    return preconditioner.sweeps();
  } else {
    return preconditioner;
  }
}

/// The same of factorizations.
template <class P>
struct GroupedFactorOf {
  using Type = std::monostate;
};
template <class Scalar, int n, class Exec, StorageReal Storage>
  requires(GroupedBlockIlu0Factor<Scalar, n, Exec, Storage>::exists)
struct GroupedFactorOf<BlockIlu0<Scalar, n, Exec, Storage>> {
  using Type = GroupedBlockIlu0Factor<Scalar, n, Exec, Storage>;
};
template <class Scalar, int n, class Exec, StorageReal Storage>
  requires(GroupedSsorFactor<Scalar, n, Exec, Storage>::exists)
struct GroupedFactorOf<Ssor<Scalar, n, Exec, Storage>> {
  using Type = GroupedSsorFactor<Scalar, n, Exec, Storage>;
};
template <class Scalar, class Exec, class Storage>
  requires(GroupedSipFactor<Scalar, Exec, Storage>::exists)
struct GroupedFactorOf<Sip<Scalar, Exec, Storage>> {
  using Type = GroupedSipFactor<Scalar, Exec, Storage>;
};
template <class Scalar, int n, class Exec, class Storage>
struct GroupedFactorOf<BlockJacobi<Scalar, n, Exec, Storage>> {
  using Type = GroupedBlockJacobi<Scalar, n, Exec, Storage>;
};

/// Whether its factorizations and sweeps can take couplings to neighbours outside of a grid block at their place among
/// those inside.
template <class P>
struct OrdersOf {
  static constexpr bool exist = false;
};
template <class Scalar, int n, class Exec, StorageReal Storage>
struct OrdersOf<BlockIlu0<Scalar, n, Exec, Storage>> {
  static constexpr bool exist = true;
};
template <class Scalar, int n, class Exec, StorageReal Storage>
struct OrdersOf<Ssor<Scalar, n, Exec, Storage>> {
  static constexpr bool exist = true;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
