// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../support/cost_model.hpp"
#include "assembled.hpp"
#include "mesh_system.hpp"

#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/core/to_space.hpp>
#include <hyperplane/csr/block_csr.hpp>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/krylov/fgmres.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace hyperplane::perf {

/// A system in block CSR with a factorization, BILU(k), ILUT, DILU or SSOR, and what is done with it.
template <class Exec, class Storage, class Ilu = BlockIlukCsr<double, MeshSystem::n, Exec, Storage>>
class CsrProblem {
 public:
  static constexpr int n = Ilu::block_size;
  static constexpr int block_size = n;
  using Vector = PointVector<double, n, Exec>;
  using Options = typename Ilu::Options;

  CsrProblem(const Exec& exec, const CsrSystem& system, const Options& options)
      : m_a(assembled<n>(exec, system)),
        m_b(detail::to_space(exec, "b", system.rhs)),
        m_x(exec, m_b.points()),
        m_options(options),
        m_ilu(exec, m_a, options) {
    factor(exec);
    if (auto const status = m_ilu.status(exec); !status.ok()) throw std::runtime_error(status.message());
  }

  std::int64_t points() const { return m_a.rows(); }
  const auto& ilu() const { return m_ilu; }
  /// Blocks that are kept over those of A.
  double fill() const { return (keeps_factors ? blocks(m_ilu.blocks()) : 1.0) / blocks(m_a.blocks()); }

  /// A plan and its factorization, anew.
  void set_up(const Exec& exec) {
    m_ilu = Ilu(exec, m_a, m_options);
    factor(exec);
  }
  void factor(const Exec& exec) { m_ilu.factor(exec, m_a); }
  void solve(const Exec& exec) const { m_ilu.solve(exec, m_b, m_x); }
  /// Of plans with the option.
  void solve_transposed(const Exec& exec) const { m_ilu.solve_transposed(exec, m_b, m_x); }
  void apply(const Exec& exec) const { hyperplane::apply(exec, m_a, m_b, m_x); }
  /// The last result.
  std::vector<double> x(const Exec& exec) const { return detail::to_vector(exec, m_x.flat()); }

  /// Throws where that is not the adjoint of the plain one.
  void check_transposed(const Exec& exec) const {
    check_adjoint(detail::to_vector(exec, m_b.flat()), [&](bool transposed) {
      transposed ? solve_transposed(exec) : solve(exec);
      return x(exec);
    });
  }

  /// Of FGMRES(30) to 1e-8, whose residual is computed from x.
  int iterations(const Exec& exec) const { return iterations(exec, m_ilu); }
  /// The same with another preconditioner.
  template <class Preconditioner>
  int iterations(const Exec& exec, const Preconditioner& preconditioner) const {
    Kokkos::deep_copy(exec, m_x.flat(), 0.0);
    Fgmres<Vector> const method(exec, points(), {.tolerance = 1e-8, .max_iterations = 2000, .restart = 30});
    auto const result = method.solve(exec, m_a, preconditioner, m_b, m_x);
    if (!result.converged()) throw std::runtime_error("FGMRES has not converged: " + result.message());
    return result.iterations;
  }

  /// A and the factors; what products of factors are read again counts as cached. Rounding to 8 bits is left out.
  Cost factor_cost() const {
    if constexpr (!keeps_factors) return diagonal_cost();
    double const given = blocks(m_a.blocks()), kept = blocks(m_ilu.blocks());
    // The pattern of A is symmetric: half of the other blocks are behind the diagonal, of ILUT about half.
    return {n * n * (8.0 * given + sizeof(detail::FactoredAs<Storage>) * kept),
            2.0 * n * n * n * (1.0 + (kept - 1.0) / 2 + products())};
  }
  /// Blocks and their columns; r read, the intermediate vector written and read, x written.
  Cost solve_cost() const {
    double const kept = blocks(m_ilu.blocks());
    // DILU: blocks of A with their numbers, and the inverse in either sweep.
    if constexpr (!keeps_factors) {
      return {(kept + 1.0) * n * n * 8.0 + kept * 12.0 + 4.0 * n * 8.0, 2.0 * n * n * (kept + 1.0)};
    }
    // Beside blocks of 8 bits, 4 n scales and the inverse, which has 16.
    double const scales = std::is_same_v<Storage, Quarter> ? n * n + 8.0 * n : 0.0;
    return {kept * (n * n * sizeof(Storage) + 4.0) + scales + 4.0 * n * 8.0, 2.0 * n * n * kept};
  }
  Cost apply_cost() const {
    double const given = blocks(m_a.blocks());
    return {given * (n * n * 8.0 + 4.0) + 2.0 * n * 8.0, 2.0 * n * n * given};
  }

 private:
  using Matrix = BlockCsr<double, n, Exec>;
  static constexpr bool keeps_factors = requires(const Ilu& ilu) { ilu.products(); };

  /// For each point.
  double products() const {
    if constexpr (keeps_factors) return blocks(m_ilu.products());
    return 0.0;
  }
  /// Of DILU, for which all of A is read, whose pattern is symmetric; with LU-SGS and SSOR the diagonal alone.
  Cost diagonal_cost() const {
    bool eliminates = false;
    if constexpr (requires(const Options& options) { options.lu_sgs; }) eliminates = !m_options.lu_sgs;
    double const given = eliminates ? blocks(m_a.blocks()) : 1.0;
    return {(given + 1.0) * n * n * 8.0, 2.0 * n * n * n * given};
  }
  /// For each point.
  double blocks(std::int64_t all) const { return static_cast<double>(all) / static_cast<double>(points()); }

  Matrix m_a;
  Vector m_b, m_x;
  Options m_options;
  Ilu m_ilu;
};

}  // namespace hyperplane::perf
