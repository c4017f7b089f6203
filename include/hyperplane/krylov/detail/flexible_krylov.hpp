// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/fgmres_kernels.hpp>
#include <hyperplane/krylov/detail/flexible_cycles.hpp>
#include <hyperplane/krylov/options.hpp>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What methods share that keep directions v, made orthogonal, in vectors of their own kind. The first `kept` of v and
/// z may be there before a cycle; z then has what the products of v are of.
template <class Method, KrylovVector Vector>
class FlexibleKrylov : public FlexibleCycles<Method, Vector> {
  using Base = FlexibleCycles<Method, Vector>;

 public:
  using typename Base::Exec;
  using typename Base::Scalar;

  /// `spare`: more vectors, as many as the method asks for, whose addresses come last.
  // NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): methods have it
  FlexibleKrylov(const Exec& exec, const VectorDomain<Vector>& domain, const char* method,
                 const KrylovOptions& krylov_options, int spare)
      : Base(exec, domain, method, krylov_options),
        m_spare(std::min(spare, this->m_restart - 1)),
        m_v(this->make_vectors(exec, domain, this->m_restart + 1, "::v")),
        m_more(this->make_vectors(exec, domain, m_spare, "::spare")),
        m_addresses(this->addresses(exec, domain, Base::pointers({&m_v, &m_more}))),
        m_dots(Processes::made(
            domain, [&] { return Processes::template dots<Scalar>(exec, this->m_r, this->m_restart + 1); })) {}

 protected:
  using typename Base::Processes;
  using Dots = typename Processes::template DotsOf<Scalar, Exec>;

  /// The direction behind the kept ones is m_r.
  void launch_first_direction(const Exec& exec, int kept, const KrylovRun& run) const {
    Base::launch_first_direction(exec, m_v[as_size(kept)], run);
  }

  /// Directions until the next restart, or until the host sees that they are enough. finish_of(j, finish) is what runs
  /// with the sums of column j: `finish`, and what a method adds.
  template <class Matrix, class Precond, class FinishOf>
  Phase cycle(const Exec& exec, const Matrix& a, const Precond& m, int kept, KrylovRun& run,
              const FinishOf& finish_of) const {
    return this->cycle_of(exec, this->m_restart - kept, run, [&](int j) { step(exec, a, m, kept, j, run, finish_of); });
  }

  /// w less its components along the first `count` directions, by classical Gram-Schmidt, twice: coefficients(0) and
  /// coefficients(1) are those of the two passes, and `finish` has the square of what is left.
  template <class Finish>
  void orthogonalize(const Exec& exec, const Vector& w, int count, const Finish& finish) const {
    double* const first = coefficients(0);
    double* const second = coefficients(1);
    const Address<Scalar>* const v = addresses_of_v();
    // The second pass. On hosts its subtraction is a kernel that counts its own bytes; what is left is reading w for
    // the norm.
    this->count(this->m_label + "::orthogonalize", HostExecutionSpace<Exec> ? 1 : count + 2);
    m_dots.run(exec, this->data(w), v, count, first);
    this->m_reducer.complete(exec, first, count);
    m_dots.subtract_and_run(exec, this->m_label + "::orthogonalize", first, this->data(w), v, count, second);
    this->m_reducer.complete(exec, second, count);
    auto const square = [&](const auto& of_element) {
      this->m_reducer.template run<1>(exec, this->m_label + "::orthogonalize", of_element, finish);
    };
    if constexpr (HostExecutionSpace<Exec>) {
      m_dots.subtract(exec, this->m_label + "::orthogonalize", second, this->data(w), v, count);
      square(NormBody<Scalar>{this->data(w)});
    } else {
      square(FgmresSubtract<Scalar>{{second, v, this->data(w), count}});
    }
  }

  /// After a breakdown, all directions behind the kept ones: see clear().
  void clear_directions(const Exec& exec, int kept) const {
    this->clear_all(exec, m_v, kept);
    this->clear_all(exec, this->m_z, kept);
  }

  double* coefficients(int pass) const { return this->sums() + pass * (this->m_restart + 1); }
  const Address<Scalar>* addresses_of_v() const { return m_addresses.data(); }
  const Address<Scalar>* addresses_of_spare() const { return m_addresses.data() + this->m_restart + 1; }

  int m_spare;
  std::vector<Vector> m_v;
  std::vector<Vector> m_more;
  typename Base::template Addresses<Scalar> m_addresses;
  Dots m_dots;

 private:
  template <class Matrix, class Precond, class FinishOf>
  void step(const Exec& exec, const Matrix& a, const Precond& m, int kept, int j, const KrylovRun& run,
            const FinishOf& finish_of) const {
    auto const progress = this->m_progress.ref(run);
    auto const column = as_size(kept + j);
    auto const& w = m_v[column + 1];
    auto const& z = this->m_z[column];
    m.solve(exec, m_v[column], z);
    apply(exec, a, z, w);
    orthogonalize(
        exec, w, kept + j + 1,
        finish_of(j, FgmresColumnFinish{progress, this->system(), coefficients(0) + kept, coefficients(1) + kept, j}));
    this->update(exec, this->m_label + "::normalize", 2,
                 FgmresScale<Scalar>{progress, this->system().m_scale, this->data(w), this->data(w)});
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
