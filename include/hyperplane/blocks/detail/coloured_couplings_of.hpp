// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/detail/coloured_couplings.hpp>
#include <hyperplane/blocks/detail/coloured_factor_kernels.hpp>
#include <hyperplane/blocks/remote_colours.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <variant>

namespace hyperplane::inline HYPERPLANE_ABI {

template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar>
class Ssor;

namespace detail {

/// What couples the grid blocks of a preconditioner by colours; none, where it cannot. `rule(options)` says how, by the
/// options of a grid block.
template <class P>
struct ColouredCouplingsOf {
  using Type = std::monostate;
  using Remote = std::monostate;
};
template <class Scalar, int n, class Exec, class Storage>
struct ColouredCouplingsOf<BlockIlu0<Scalar, n, Exec, Storage>> {
  using Type = ColouredCouplings<Ilu0Couplings<Scalar>, Scalar, n, Exec, Storage, vector_length_v<Scalar, Exec>>;
  using Remote = RemoteColours<Scalar, Exec, Storage>;
  template <class Options>
  static Ilu0Couplings<Scalar> rule(const Options&) {
    return {};
  }
};
template <class Scalar, int n, class Exec, class Storage>
struct ColouredCouplingsOf<Ssor<Scalar, n, Exec, Storage>> {
  using Type = ColouredCouplings<SsorCouplings<Scalar>, Scalar, n, Exec, Storage, vector_length_v<Scalar, Exec>>;
  using Remote = RemoteColours<Scalar, Exec, Storage>;
  template <class Options>
  static SsorCouplings<Scalar> rule(const Options& options) {
    return {static_cast<Scalar>(options.relaxation)};
  }
};

}  // namespace detail
}  // namespace hyperplane::inline HYPERPLANE_ABI
