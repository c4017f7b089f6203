// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/cost_model.hpp"
#include "mesh_system.hpp"

#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/csr/point_vectors.hpp>
#include <hyperplane/csr/tall_product.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/simultaneous_bicgstab.hpp>
#include <hyperplane/krylov/simultaneous_fgmres.hpp>

#include <Kokkos_Core.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace hyperplane::perf {

/// A system of a mesh with several right-hand sides, together and one after the other. What is timed is verified by
/// both results.
template <class Exec, int count>
class SeveralProblem {
 public:
  static constexpr int n = MeshSystem::n;

  /// With `solves_alone` neither products nor iterations are timed.
  SeveralProblem(const Exec& exec, const MeshSystem& system, RowOrder order, bool solves_alone)
      : m_a(exec, system.offsets, system.columns),
        m_b(exec, m_a.rows()),
        m_x(exec, m_a.rows()),
        m_ilu(exec, m_a, {.order = order}),
        m_bicgstab{{exec, m_a.rows(), fixed_work}, {exec, m_a.rows(), fixed_work}},
        m_fgmres{{exec, m_a.rows(), fixed_work}, {exec, m_a.rows(), fixed_work}} {
    Kokkos::deep_copy(exec, m_a.values(), detail::to_space(exec, "a", system.values));
    m_ilu.factor(exec, m_a);
    if (auto const status = m_ilu.status(exec); !status.ok()) throw std::runtime_error(status.message());
    for (int j = 0; j < count; ++j) {
      auto rhs = system.rhs;
      for (std::size_t e = 0; e < rhs.size(); ++e) rhs[e] *= 1.0 + static_cast<double>(e % std::size_t{7}) * j;
      m_single_b.emplace_back(detail::to_space(exec, "b", rhs));
      m_single_x.emplace_back(exec, m_a.rows());
      set_vector(exec, m_b, j, m_single_b.back());
    }
    verify(exec, [&](bool together) { solve(exec, together); });
    if (solves_alone) return;
    verify(exec, [&](bool together) { apply(exec, together); });
    verify(exec, [&](bool together) { bicgstab(exec, together); });
    verify(exec, [&](bool together) { fgmres(exec, together); });
  }

  std::int64_t points() const { return m_a.rows(); }

  void apply(const Exec& exec, bool together) const {
    run(together, m_b, m_x, [&](const auto& b, const auto& x) { hyperplane::apply(exec, m_a, b, x); });
  }
  void solve(const Exec& exec, bool together) const {
    run(together, m_b, m_x, [&](const auto& b, const auto& x) { m_ilu.solve(exec, b, x); });
  }
  /// Ten iterations, from what x has.
  void bicgstab(const Exec& exec, bool together) const { iterate(exec, together, m_bicgstab); }
  void fgmres(const Exec& exec, bool together) const { iterate(exec, together, m_fgmres); }

  Cost apply_cost(bool together) const { return cost(together, 2.0); }
  Cost solve_cost(bool together) const { return cost(together, 4.0); }
  /// Two products, two solves, 19 values of vectors for each unknown; not the beginning and the end.
  Cost bicgstab_cost(bool together) const { return iterations_cost(together, 2, 10 * 19.0); }
  /// A product, a solve, and 4 j + 2 values of vectors in iteration j.
  Cost fgmres_cost(bool together) const { return iterations_cost(together, 1, 4.0 * 55 + 10 * 2.0); }

 private:
  using Vectors = PointVectors<double, n, count, Exec>;
  using Vector = PointVector<double, n, Exec>;
  static inline const KrylovOptions fixed_work{.tolerance = 0.0, .max_iterations = 10, .check_interval = 10};

  template <class Together, class Alone>
  struct Methods {
    Together together;
    Alone alone;
  };

  template <class AnyMethods>
  void iterate(const Exec& exec, bool together, const AnyMethods& methods) const {
    run(together, m_b, m_x, [&](const auto& b, const auto& x) {
      Kokkos::deep_copy(exec, x.flat(), 0.0);
      if constexpr (std::is_same_v<decltype(b), const Vectors&>) {
        methods.together.solve(exec, m_a, m_ilu, b, x);
      } else {
        methods.alone.solve(exec, m_a, m_ilu, b, x);
      }
    });
  }

  template <class Work>
  void run(bool together, const Vectors& b, const Vectors& x, const Work& work) const {
    if (together) return work(b, x);
    for (std::size_t j = 0; j < m_single_b.size(); ++j) work(m_single_b[j], m_single_x[j]);
  }

  template <class Work>
  void verify(const Exec& exec, const Work& work) const {
    work(true);
    work(false);
    Vector const one(exec, points());
    for (int j = 0; j < count; ++j) {
      get_vector(exec, m_x, j, one);
      auto const found = detail::to_vector(exec, one.flat());
      auto const expected = detail::to_vector(exec, m_single_x[static_cast<std::size_t>(j)].flat());
      double difference = 0.0, size = 0.0;
      for (std::size_t e = 0; e < found.size(); ++e) {
        difference += (found[e] - expected[e]) * (found[e] - expected[e]);
        size += expected[e] * expected[e];
      }
      if (!(difference <= 1e-12 * size)) throw std::runtime_error("vector " + std::to_string(j) + " is not that alone");
    }
  }

  Cost iterations_cost(bool together, int products, double values) const {
    auto const product = apply_cost(together), sweeps = solve_cost(together);
    return {10.0 * products * (product.bytes + sweeps.bytes) + values * n * count * 8.0,
            10.0 * products * (product.flops + sweeps.flops)};
  }

  Cost cost(bool together, double values) const {
    double const blocks = static_cast<double>(m_a.blocks()) / static_cast<double>(points());
    return {(together ? 1 : count) * blocks * (n * n * 8.0 + 4.0) + values * n * count * 8.0,
            2.0 * n * n * blocks * count};
  }

  BlockCsr<double, n, Exec> m_a;
  Vectors m_b, m_x;
  std::vector<Vector> m_single_b, m_single_x;
  BlockIlu0Csr<double, n, Exec> m_ilu;
  Methods<SimultaneousBiCgStab<Vectors>, BiCgStab<Vector>> m_bicgstab;
  Methods<SimultaneousFgmres<Vectors>, Fgmres<Vector>> m_fgmres;
};

}  // namespace hyperplane::perf
