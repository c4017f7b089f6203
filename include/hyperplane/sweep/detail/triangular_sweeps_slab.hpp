// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/sweep/detail/sweep_step_slab.hpp>
#include <hyperplane/sweep/detail/transposed_several_slab.hpp>
#include <hyperplane/sweep/detail/transposed_step_slab.hpp>
#include <hyperplane/sweep/detail/triangular_sweeps_fast_path.hpp>
#include <hyperplane/sweep/slab_steps.hpp>
#include <hyperplane/sweep/slab_strips.hpp>
#include <hyperplane/sweep/triangular_factors.hpp>

#include <array>
#include <string>
#include <utility>

/// The sweeps on hosts: every operation is on full SIMD vectors along skewed slabs, threads follow one another by
/// progress words (host::SlabSweep).
namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class Scalar, int n, HostExecutionSpace Exec, class Storage, int vector_length>
class TriangularSweepsFastPath<Scalar, n, Exec, Storage, vector_length> {
 public:
  using Map = SlabMap<vector_length>;
  using Vector = BlockVectorRef<Scalar, n, vector_length>;
  template <int count>
  using Vectors = VectorRefs<Vector, count>;

  static SweepPath choose(const Exec&, const Map&) { return SweepPath::slab; }
  static constexpr std::array<SweepPath, 1> paths{SweepPath::slab};

  TriangularSweepsFastPath(const Exec& exec, const std::string& owner, const Map& map, SweepPath,
                           int /*multiprocessors*/, int /*right_hand_sides*/)
      : m_sweep(exec, "Hyperplane::" + owner, map, slab_steps<Storage, n, vector_length>, ragged_step<Scalar>),
        m_handed_on(exec, owner, map, m_sweep.chains()) {}

  template <int count>
  void solve(const Exec& exec, Sweeps sweeps, const TriangularFactors<Storage, n, vector_length>& factors,
             const Vectors<count>& rhs, const Vectors<count>& x) const {
    constexpr double bytes = slab_step_bytes<Scalar, n, Storage, vector_length, count>;
    if (sweeps != Sweeps::backward) {
      m_sweep.run(exec, solve_label(Sweeps::forward), bytes,
                  SlabSweepStep<Sweep::forward, Scalar, n, Storage, vector_length, count>{factors, rhs, x});
    }
    if (sweeps != Sweeps::forward) {
      m_sweep.run(exec, solve_label(Sweeps::backward), bytes,
                  SlabSweepStep<Sweep::backward, Scalar, n, Storage, vector_length, count>{
                      factors, sweeps == Sweeps::both ? x : rhs, x});
    }
  }

  /// What slabs hand on in sweeps with M^T.
  const SlabHandedOnMemory<Scalar, n, vector_length, Exec>& handed_on() const { return m_handed_on; }

  /// With M^T; x may be rhs. The first call for several vectors allocates, but of scalars, which have as few factors as
  /// vectors have values: these vectors follow one another.
  template <int count>
  void solve_transposed(const Exec& exec, Sweeps sweeps, const TriangularFactors<Storage, n, vector_length>& factors,
                        const Vectors<count>& rhs, const Vectors<count>& x) const {
    if constexpr (n == 1 && count > 1) {
      for (int v = 0; v < count; ++v) {
        solve_transposed(exec, sweeps, factors, Vectors<1>{{rhs[v]}}, Vectors<1>{{x[v]}});
      }
    } else {
      if (sweeps != Sweeps::backward) run_transposed<Sweep::forward>(exec, Sweeps::forward, factors, rhs, x);
      if (sweeps != Sweeps::forward) {
        run_transposed<Sweep::backward>(exec, Sweeps::backward, factors, sweeps == Sweeps::both ? x : rhs, x);
      }
    }
  }

 private:
  template <Sweep sweep, int count>
  void run_transposed(const Exec& exec, Sweeps which, const TriangularFactors<Storage, n, vector_length>& factors,
                      const Vectors<count>& rhs, const Vectors<count>& x) const {
    constexpr double bytes = slab_step_bytes<Scalar, n, Storage, vector_length, count>;
    using Step = TransposedSlabStep<sweep, Scalar, n, Storage, vector_length>;
    [&]<int... v>(std::integer_sequence<int, v...>) {
      if constexpr (count == 1) {
        m_sweep.run(exec, transposed_label(which), bytes, Step{factors, rhs[0], x[0], m_handed_on.of(exec, 0)});
      } else {
        m_sweep.run(exec, transposed_label(which), bytes,
                    TransposedSlabSteps<Step, count, slab_steps<Storage, n, vector_length>>{
                        {Step{factors, rhs[v], x[v], m_handed_on.of(exec, v)}...}});
      }
    }(std::make_integer_sequence<int, count>());
  }

  StripSweep<Exec, vector_length> m_sweep;
  SlabHandedOnMemory<Scalar, n, vector_length, Exec> m_handed_on;  ///< of sweeps with M^T
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
