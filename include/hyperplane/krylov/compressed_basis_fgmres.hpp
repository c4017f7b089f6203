// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstdint>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/flexible_cycles.hpp>
#include <hyperplane/krylov/detail/lagged_orthogonalization.hpp>
#include <hyperplane/krylov/options.hpp>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// FGMRES(m) that keeps its directions in float, for vectors of doubles: compressed basis GMRES (J. I. Aliaga, H. Anzt,
/// T. Gruetzmacher, E. S. Quintana-Orti, A. E. Tomas, "Compressed Basis GMRES on High-Performance Graphics Processing
/// Units", doi:10.1177/10943420221115140), flexible, and with orthogonalization that is lagged (D. Bielich, J. Langou,
/// S. Thomas, K. Swirydowicz, I. Yamazaki, E. Boman, "Low-Synch Gram-Schmidt with Delayed Reorthogonalization for
/// Krylov Solvers", doi:10.1016/j.parco.2022.102940).
///
/// All is computed in double; a direction is rounded when it is kept, and the next ones are made orthogonal to what is
/// kept. So the estimate of a cycle is to be believed until it has fallen to the rounding of float, 1.2e-7: there the
/// cycle ends, and the residual that is computed from x in double, as at each restart, decides. x becomes as exact as
/// by Fgmres where A M^-1 is far better conditioned than 1e7. Where one cycle of Fgmres would have led below 1e-7, this
/// one may take more iterations, since the next cycle begins without directions: with long restarts up to three times
/// as many. Near a condition of 1e7 and beyond, cycles may gain nothing, and Fgmres is the method to take.
///
/// Classical Gram-Schmidt, twice: the second pass of a direction shares both of its readings of all directions with the
/// first pass of the next one. M is applied to a direction before its second pass, which a flexible method may do.
/// What else is on the device, when the host waits, the history and the norm of the result are those of Fgmres.
///
/// A plan: the constructor allocates m + 3 vectors, and m of floats, m as in Fgmres; solve() allocates nothing.
/// Iteration j of a cycle is one apply, one preconditioner solve, 2 j floats and 5 values of vector traffic per unknown
/// (on CUDA half a value more for each direction).
///
/// Bitwise the same result whatever the number of threads and the check interval. Not for vectors over several devices
/// of one process.
template <KrylovVector Vector>
class CompressedBasisFgmres : private detail::FlexibleCycles<CompressedBasisFgmres<Vector>, Vector> {
  using Base = detail::FlexibleCycles<CompressedBasisFgmres<Vector>, Vector>;
  static_assert(std::is_same_v<typename Vector::scalar_type, double>, "CompressedBasisFgmres: for vectors of doubles");

 public:
  using typename Base::Exec;
  /// What directions are kept in.
  using Kept = float;

  /// Throws Error where an option is out of range.
  CompressedBasisFgmres(const Exec& exec, const VectorDomain<Vector>& domain, const KrylovOptions& krylov_options = {})
      : Base(exec, domain, "CompressedBasisFgmres", krylov_options),
        m_newest(this->make_vectors(exec, domain, 2, "::newest")),
        m_v(Base::Processes::made(domain, [&] { return directions(exec); })),
        m_addresses_of_v(this->addresses(exec, domain, data_of_v())),
        m_orthogonalization(Base::Processes::made(
            domain,
            [&] { return Orthogonalization(exec, this->m_label, Base::size(this->m_r), this->m_restart - 1); })),
        m_square(Base::Processes::made(domain,
                                       [&] { return Square(Kokkos::view_alloc(exec, this->m_label + "::square")); })) {}

  using Base::options;
  /// solve(exec, a, m, b, x) solves A x = b from the x that is given; with limits behind x, within other limits than
  /// those of the options.
  using Base::solve;

 private:
  friend detail::KrylovMethod<CompressedBasisFgmres<Vector>, Vector>;
  using Direction = Kokkos::View<Kept*, typename Exec::memory_space>;
  using Square = Kokkos::View<double, typename Exec::memory_space>;
  using Orthogonalization = detail::LaggedOrthogonalization<Kept, Exec>;

  template <class Matrix, class Precond>
  detail::Phase iterate(const Exec& exec, const Matrix& a, const Precond& m, const Vector& b, const Vector& x,
                        detail::KrylovRun& run) const {
    run.m_fall = std::max(detail::rounding_of(a), static_cast<double>(std::numeric_limits<Kept>::epsilon()));
    auto const start = [&] {
      this->launch_residual(exec, a, b, x, run);
      this->launch_first_direction(exec, m_newest[0], run);
    };
    auto const phase = this->cycles(exec, a, b, x, run, start, [&] {
      return this->cycle_of(exec, this->m_restart, run, [&](int j) { step(exec, a, m, j, run); });
    });
    if (phase == detail::Phase::breakdown) {
      this->clear_all(exec, m_newest, 0);
      this->clear_all(exec, this->m_z, 0);
    }
    return phase;
  }

  template <class Matrix, class Precond>
  void step(const Exec& exec, const Matrix& a, const Precond& m, int j, const detail::KrylovRun& run) const {
    auto const& u = m_newest[detail::as_size(j % 2)];
    auto const& w = m_newest[detail::as_size((j + 1) % 2)];
    auto const& z = this->m_z[detail::as_size(j)];
    m.solve(exec, u, z);
    apply(exec, a, z, w);
    detail::LaggedVectors<Kept> const vectors{this->data(u), this->data(w), m_addresses_of_v.data(), j};
    double* const sums = this->sums();
    m_orthogonalization.dots(exec, vectors, this->m_reducer, sums);
    m_orthogonalization.subtract(exec, vectors, sums, this->m_reducer, m_square.data(),
                                 detail::LaggedColumnFinish{this->m_progress.ref(run), this->system(), sums, j});
  }

  std::vector<Direction> directions(const Exec& exec) const {
    static_assert(!detail::RangeInParts<std::remove_const_t<decltype(this->all(exec))>>,
                  "CompressedBasisFgmres: not for vectors over several devices of one process");
    std::vector<Direction> result;
    for (int j = 0; j < this->m_restart; ++j) {
      result.emplace_back(Kokkos::view_alloc(exec, this->m_label + "::v"), detail::as_size(Base::size(this->m_r)));
    }
    return result;
  }
  std::vector<Kept*> data_of_v() const {
    std::vector<Kept*> result;
    for (auto const& v : m_v) result.push_back(v.data());
    return result;
  }

  // u and w, in turn.
  std::vector<Vector> m_newest;
  std::vector<Direction> m_v;
  typename Base::template Addresses<Kept> m_addresses_of_v;
  Orthogonalization m_orthogonalization;
  Square m_square;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
