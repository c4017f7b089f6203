// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/scalar_field.hpp>
#include <hyperplane/array/stencil7.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/field/detail/field_preconditioner.hpp>
#include <hyperplane/field/detail/relaxation_kernels.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/convert.hpp>

#include <optional>

namespace hyperplane::inline HYPERPLANE_ABI {

/// In which order the sweeps of SSOR go over points.
enum class SsorOrdering {
  hyperplane,  ///< natural order: the sweeps of Ssor, in its layout
  red_black,   ///< points with i + j + k even, then those with odd: two parallel halves
};

constexpr const char* name(SsorOrdering ordering) {
  switch (ordering) {
    case SsorOrdering::hyperplane: return "hyperplane";
    case SsorOrdering::red_black: return "red_black";
  }
  return "unknown";
}

struct FieldSsorOptions {
  /// w, 0 < w < 2. 1 is symmetric Gauss-Seidel.
  double relaxation = 1.0;
  SsorOrdering ordering = SsorOrdering::red_black;
};

/// SSOR on a scalar seven-point stencil in natural order, as preconditioner:
///
///     M = w / (2 - w) (D / w + L) D^-1 (D / w + U)
///
/// with D the center of A, and L and U what comes before and after a point in the ordering (Y. Saad, "Iterative Methods
/// for Sparse Linear Systems", 2nd ed., doi:10.1137/1.9780898718003, sections 4.1 and 12.4). Red-black ordering has no
/// recursion but converges more slowly. Hyperplane ordering is Ssor with n = 1: matrix and vectors are converted to its
/// layout and back, which a code that keeps them there saves.
///
/// A plan: the constructor allocates (hyperplane: 16 values per point; red-black nothing); factor() and solve()
/// allocate nothing, fence nothing and are asynchronous on the instance. Red-black: factor() keeps what A refers to, a
/// solve is three launches, over half of the points each. At most one factor() or solve() of a plan and its copies at a
/// time.
template <Stencil7 A, ExecutionSpace Exec>
class FieldSsor : public detail::FieldPreconditioner<A, Exec, FieldSsorOptions> {
  using Base = detail::FieldPreconditioner<A, Exec, FieldSsorOptions>;
  using T = typename A::scalar_type;

 public:
  using typename Base::Vector;

  /// Throws Error where the relaxation is out of range.
  FieldSsor(const Exec& exec, const Grid& grid, const FieldSsorOptions& options = {})
      : Base("FieldSsor", grid, options) {
    if (options.ordering == SsorOrdering::hyperplane) m_planes.emplace(exec, grid, options.relaxation);
  }

  SsorOrdering ordering() const { return this->options().ordering; }

  /// Red-black: the coefficients must be there, unchanged, as long as solve() is called. Hyperplane: they are copied.
  void factor(const Exec& exec, const A& a) {
    this->keep(a);
    if (!m_planes) return;
    detail::fill_stencil(exec, a, m_planes->m_matrix);
    m_planes->m_ssor.factor(exec, m_planes->m_matrix);
  }

  /// z = M^-1 r; z must not be r. Throws Error before the first factor() and where a grid is another one.
  void solve(const Exec& exec, const Vector& r, const Vector& z) const {
    A const& a = this->checked(r, z);
    if (m_planes) {
      pack(exec, r.flat(), m_planes->m_vector);
      m_planes->m_ssor.solve(exec, m_planes->m_vector, m_planes->m_vector);
      unpack(exec, m_planes->m_vector, z.flat());
      return;
    }
    T const w = this->relaxation();
    Box const box = Box::of(this->grid());
    auto const residual = array_ref(r);
    auto const result = array_ref(z);
    // The backward sweep begins with black points, whose neighbours have not changed since the forward sweep: both
    // relaxations of black points are one.
    detail::run_color(exec, "FieldSsor", "Hyperplane::FieldSsor::red", box, a, residual, result, detail::Color::red,
                      detail::ScaledByCenter<T>{w});
    detail::run_color(exec, "FieldSsor", "Hyperplane::FieldSsor::black", box, a, residual, result, detail::Color::black,
                      detail::Relaxed<T>{w * (2 - w), 0});
    detail::run_color(exec, "FieldSsor", "Hyperplane::FieldSsor::red_again", box, a, residual, result,
                      detail::Color::red, detail::Relaxed<T>{w, 1 - w});
  }

  /// Whether the last factor() met a zero center, and where; red-black ordering does not look. Waits for the instance.
  FactorStatus status(const Exec& exec) const { return m_planes ? m_planes->m_ssor.status(exec) : FactorStatus{}; }

 private:
  struct Planes {
    Planes(const Exec& exec, const Grid& grid, double relaxation)
        : m_matrix(exec, grid, "Hyperplane::FieldSsor::matrix"),
          m_vector(exec, grid, "Hyperplane::FieldSsor::vector"),
          m_ssor(exec, grid, {.relaxation = relaxation}) {}
    BlockStencil7<T, 1, Exec> m_matrix;
    BlockVector<T, 1, Exec> m_vector;
    Ssor<T, 1, Exec> m_ssor;
  };

  std::optional<Planes> m_planes;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
