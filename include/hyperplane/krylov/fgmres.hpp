// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/flexible_krylov.hpp>
#include <hyperplane/krylov/options.hpp>

namespace hyperplane::inline HYPERPLANE_ABI {

/// FGMRES(m): flexible GMRES with right preconditioning and restart (Y. Saad, "A Flexible Inner-Outer Preconditioned
/// GMRES Algorithm", doi:10.1137/0914028). The preconditioner may change from one iteration to the next.
///
/// Directions are made orthogonal by classical Gram-Schmidt, twice, with all dot products of a pass in one launch; the
/// Hessenberg matrix, its Givens rotations and the residual estimate stay on the device, and the host waits
/// when it looks (KrylovOptions::check_interval) and at each restart. The history holds the estimates; the residual
/// norm of the result is computed from x. Where products are those of A but for rounding (NarrowedMatrix), a cycle also
/// ends when the estimate has fallen by as much.
///
/// A plan: the constructor allocates 2 m + 2 vectors, m = options.restart, or options.max_iterations where that is
/// less; solve() allocates nothing. Iteration j of a cycle is one apply, one preconditioner solve and about 4 j values
/// of vector traffic per unknown (on hosts 3 j, since the dot products of the second pass read what the first one has
/// just subtracted; on CUDA 3 j, where j is at most 8: the kernel that subtracts computes eight of them).
///
/// Bitwise the same result whatever the number of threads and the check interval.
template <KrylovVector Vector>
class Fgmres : private detail::FlexibleKrylov<Fgmres<Vector>, Vector> {
  using Base = detail::FlexibleKrylov<Fgmres<Vector>, Vector>;

 public:
  using typename Base::Exec;

  /// Throws Error where an option is out of range.
  Fgmres(const Exec& exec, const VectorDomain<Vector>& domain, const KrylovOptions& krylov_options = {})
      : Base(exec, domain, "Fgmres", krylov_options, 0) {}

  using Base::options;
  /// solve(exec, a, m, b, x) solves A x = b from the x that is given; with limits behind x, within other limits than
  /// those of the options.
  using Base::solve;

 private:
  friend detail::KrylovMethod<Fgmres<Vector>, Vector>;

  template <class Matrix, class Precond>
  detail::Phase iterate(const Exec& exec, const Matrix& a, const Precond& m, const Vector& b, const Vector& x,
                        detail::KrylovRun& run) const {
    run.m_fall = detail::rounding_of(a);
    auto const start = [&] {
      this->launch_residual(exec, a, b, x, run);
      this->launch_first_direction(exec, 0, run);
    };
    detail::Phase const phase = this->cycles(exec, a, b, x, run, start, [&] {
      return this->cycle(exec, a, m, 0, run, [](int, const auto& finish) { return finish; });
    });
    if (phase == detail::Phase::breakdown) this->clear_directions(exec, 0);
    return phase;
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
