// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/scalar_field.hpp>
#include <hyperplane/array/stencil7.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/field/detail/field_preconditioner.hpp>
#include <hyperplane/field/detail/relaxation_kernels.hpp>

#include <optional>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

struct FieldJacobiOptions {
  /// w, 0 < w < 2.
  double relaxation = 1.0;
  /// At least 1.
  int sweeps = 1;
};

/// Jacobi on a scalar seven-point stencil in natural order, as preconditioner: `sweeps` times z <- z + w D^-1 (r - A z)
/// from z = 0, with D the center of A (Y. Saad, "Iterative Methods for Sparse Linear Systems", 2nd ed.,
/// doi:10.1137/1.9780898718003). Linear in r, so that any Krylov method may have it around.
///
/// A plan: the constructor allocates a field where there are several sweeps. factor() keeps what A refers to; it costs
/// nothing. solve() is a launch per sweep, without allocation, without fence, asynchronous on the instance: the first
/// sweep moves 2 values per point (variable coefficients 3), every other 4 (11). A zero center gives infinite values.
template <Stencil7 A, ExecutionSpace Exec>
class FieldJacobi : public detail::FieldPreconditioner<A, Exec, FieldJacobiOptions> {
  using Base = detail::FieldPreconditioner<A, Exec, FieldJacobiOptions>;
  using T = typename A::scalar_type;

 public:
  using typename Base::Vector;

  /// Throws Error where an option is out of range.
  FieldJacobi(const Exec& exec, const Grid& grid, const FieldJacobiOptions& options = {})
      : Base("FieldJacobi", grid, options) {
    if (options.sweeps < 1) fail("FieldJacobi: " + std::to_string(options.sweeps) + " sweeps, expected at least 1");
    if (options.sweeps > 1) m_other.emplace(exec, grid, "Hyperplane::FieldJacobi::other");
  }

  /// The coefficients must be there, unchanged, as long as solve() is called.
  void factor(const Exec&, const A& a) { this->keep(a); }

  /// z = M^-1 r; z must not be r. Throws Error before the first factor() and where a grid is another one.
  void solve(const Exec& exec, const Vector& r, const Vector& z) const {
    A const& a = this->checked(r, z);
    T const w = this->relaxation();
    int const sweeps = this->options().sweeps;
    Box const box = Box::of(this->grid());
    auto const residual = array_ref(r);
    // Sweeps go to and fro; the last one ends in z.
    bool into_z = sweeps % 2 == 1;
    auto const field = [&](bool is_z) { return array_ref(is_z ? z : *m_other); };
    detail::run_color(exec, "FieldJacobi", "Hyperplane::FieldJacobi::first", box, a, residual, field(into_z),
                      detail::Color::both, detail::ScaledByCenter<T>{w});
    for (int sweep = 1; sweep < sweeps; ++sweep) {
      into_z = !into_z;
      detail::run_stencil(exec, "FieldJacobi", "Hyperplane::FieldJacobi::sweep", box, a, field(!into_z), field(into_z),
                          detail::coefficients_read<A>() + 4, detail::JacobiValue<T>{residual.data(), w});
    }
  }

 private:
  std::optional<Vector> m_other;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
