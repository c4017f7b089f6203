// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/detail/boxes_in_order.hpp>
#include <hyperplane/blocks/detail/coloured_couplings.hpp>
#include <hyperplane/blocks/detail/coloured_factor_kernels.hpp>
#include <hyperplane/blocks/remote_colours.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <variant>

namespace hyperplane::inline HYPERPLANE_ABI {

template <Real Scalar, int n, ExecutionSpace Exec, FactorReal StorageScalar>
class Ssor;
template <Real Scalar, ExecutionSpace Exec, StorageReal StorageScalar>
class Sip;

namespace detail {

/// What couples the grid blocks of a preconditioner by colours; none, where it cannot. `rule(options)` says how, by the
/// options of a grid block. `natural`: whether M is that of a box whose parts are coupled in the order of its points,
/// by `InOrder` where kernels know nothing outside of their grid.
template <class P>
struct ColouredCouplingsOf {
  using Type = std::monostate;
  using Remote = std::monostate;
  using InOrder = std::monostate;
  static constexpr bool natural = false;
};
/// Factors in units of their own are coupled to nothing: each grid block has its own units.
template <class Scalar, int n, class Exec, class Storage>
  requires(!has_scales<Storage>)
struct ColouredCouplingsOf<BlockIlu0<Scalar, n, Exec, Storage>> {
  using Type = ColouredCouplings<Ilu0Couplings<Scalar>, Scalar, n, Exec, Storage, vector_length_v<Scalar, Exec>>;
  using InOrder = BoxesInOrder<true, Scalar, n, Exec, Storage, vector_length_v<Scalar, Exec>>;
  using Remote = RemoteColours<Scalar, Exec, Storage>;
  static constexpr bool natural = true;
  template <class Options>
  static Ilu0Couplings<Scalar> rule(const Options&) {
    return {};
  }
};
template <class Scalar, int n, class Exec, class Storage>
  requires(!has_scales<Storage>)
struct ColouredCouplingsOf<Ssor<Scalar, n, Exec, Storage>> {
  using Type = ColouredCouplings<SsorCouplings<Scalar>, Scalar, n, Exec, Storage, vector_length_v<Scalar, Exec>>;
  using InOrder = BoxesInOrder<false, Scalar, n, Exec, Storage, vector_length_v<Scalar, Exec>>;
  using Remote = RemoteColours<Scalar, Exec, Storage>;
  static constexpr bool natural = true;
  template <class Options>
  static SsorCouplings<Scalar> rule(const Options& options) {
    return {static_cast<Scalar>(options.relaxation)};
  }
};
/// Couplings are those of ILU(0): SIP extrapolates inside a grid block alone, where that of a box does everywhere.
template <class Scalar, class Exec, class Storage>
struct ColouredCouplingsOf<Sip<Scalar, Exec, Storage>> : ColouredCouplingsOf<BlockIlu0<Scalar, 1, Exec, Storage>> {
  static constexpr bool natural = false;
};

}  // namespace detail
}  // namespace hyperplane::inline HYPERPLANE_ABI
