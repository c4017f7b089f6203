// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/fgmres_kernels.hpp>
#include <hyperplane/krylov/detail/krylov_method.hpp>
#include <hyperplane/krylov/options.hpp>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What methods share that keep directions v, made orthogonal, and what preconditioners made of them, z. The first
/// `kept` of both may be there before a cycle; z then has what the products of v are of.
template <class Method, KrylovVector Vector>
class FlexibleKrylov : public KrylovMethod<Method, Vector> {
  using Base = KrylovMethod<Method, Vector>;

 public:
  using typename Base::Exec;
  using typename Base::Scalar;

  /// `spare`: more vectors, as many as the method asks for, whose addresses come last.
  // NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): methods have it
  FlexibleKrylov(const Exec& exec, const VectorDomain<Vector>& domain, const char* method,
                 const KrylovOptions& krylov_options, int spare)
      : Base(exec, domain, method, krylov_options),
        m_restart(std::max(1, std::min(this->m_options.restart, this->m_options.max_iterations))),
        m_spare(std::min(spare, m_restart - 1)),
        m_numbers(Processes::made(domain,
                                  [&] {
                                    return Numbers(Kokkos::view_alloc(exec, this->m_label + "::system"),
                                                   as_size(FgmresSystem::numbers(m_restart) + 2 * (m_restart + 1)));
                                  })),
        m_length(Processes::made(domain, [&] { return Length(Kokkos::view_alloc(exec, this->m_label + "::length")); })),
        m_pointers(Processes::made(domain,
                                   [&] {
                                     return Pointers(Kokkos::view_alloc(exec, this->m_label + "::pointers"),
                                                     as_size(2 * m_restart + 1 + m_spare));
                                   })),
        m_dots(
            Processes::made(domain, [&] { return Processes::template dots<Scalar>(exec, this->m_r, m_restart + 1); })) {
    auto const host = Kokkos::create_mirror_view(m_pointers);
    int next = 0;
    auto const add = [&](std::vector<Vector>& to, int count, const char* what) {
      for (int j = 0; j < count; ++j) {
        to.push_back(make_vector<Vector>(exec, domain, this->m_label + what));
        host(next++).m_data = this->data(to.back());
      }
    };
    add(m_v, m_restart + 1, "::v");
    add(m_z, m_restart, "::z");
    add(m_more, m_spare, "::spare");
    Kokkos::deep_copy(exec, m_pointers, host);
    exec.fence("Hyperplane: pointers to directions are on the device");
  }

 protected:
  using typename Base::Processes;
  using Numbers = Kokkos::View<double*, typename Exec::memory_space>;
  using Length = Kokkos::View<int, typename Exec::memory_space>;
  using Pointers = Kokkos::View<Address<Scalar>*, typename Exec::memory_space>;
  using Dots = typename Processes::template DotsOf<Scalar, Exec>;

  /// m_r = b - A x, its norm, and the least squares problem of a cycle without columns.
  template <class Matrix>
  void launch_residual(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x,
                       const KrylovRun& run) const {
    this->compute_residual(exec, a, b, x, run, FgmresStartFinish{this->m_progress.ref(run), system()});
  }

  /// The direction behind the kept ones is m_r.
  void launch_first_direction(const Exec& exec, int kept, const KrylovRun& run) const {
    this->update(exec, this->m_label + "::first_direction", 2,
                 FgmresScale<Scalar>{this->m_progress.ref(run), system().m_scale, this->data(this->m_r),
                                     this->data(m_v[as_size(kept)])});
  }

  /// Directions until the next restart, or until the host sees that they are enough. finish_of(j, finish) is what runs
  /// with the sums of column j: `finish`, and what a method adds.
  template <class Matrix, class Precond, class FinishOf>
  Phase cycle(const Exec& exec, const Matrix& a, const Precond& m, int kept, KrylovRun& run,
              const FinishOf& finish_of) const {
    Phase phase = Phase::running;
    int const columns = std::min(m_restart - kept, run.remaining());
    int unseen = 0;
    int steps = this->m_progress.steps(run);
    for (int j = 0; j < columns && phase == Phase::running && !run.m_stopped; ++j) {
      step(exec, a, m, kept, j, run, finish_of);
      if (++unseen < steps && j + 1 < columns) continue;
      phase = this->m_progress.look(exec, run, unseen);
      unseen = 0;
      steps = this->m_progress.steps(run);
    }
    return phase;
  }

  /// w less its components along the first `count` directions, by classical Gram-Schmidt, twice: coefficients(0) and
  /// coefficients(1) are those of the two passes, and `finish` has the square of what is left.
  template <class Finish>
  void orthogonalize(const Exec& exec, const Vector& w, int count, const Finish& finish) const {
    double* const first = coefficients(0);
    double* const second = coefficients(1);
    const Address<Scalar>* const v = m_pointers.data();
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

  /// x += sum of the least squares solution's z, of which there are as many as columns.
  void launch_update(const Exec& exec, const Vector& x, int columns, const KrylovRun& run) const {
    this->update(exec, this->m_label + "::update", columns + 2,
                 FgmresUpdate<Scalar>{system(), addresses_of_z(), this->data(x), static_cast<Scalar>(run.m_scale)});
  }

  /// Column `broken` is one that the cycle broke down on, which x does not help: why.
  template <class Matrix>
  Phase break_down(const Exec& exec, const Matrix& a, int broken, KrylovRun& run) const {
    auto const& z = m_z[as_size(broken)];
    apply(exec, a, z, this->m_r);
    run.m_result.breakdown = this->blame(exec, z, this->m_r);
    return Phase::breakdown;
  }

  /// After a breakdown, all directions behind the kept ones: see clear().
  void clear_directions(const Exec& exec, int kept) const {
    for (auto const* const vectors : {&m_v, &m_z}) {
      for (std::size_t j = as_size(kept); j < vectors->size(); ++j) this->clear(exec, (*vectors)[j]);
    }
  }

  FgmresSystem system() const { return FgmresSystem(m_numbers.data(), m_length.data(), m_restart); }
  double* coefficients(int pass) const {
    return m_numbers.data() + FgmresSystem::numbers(m_restart) + pass * (m_restart + 1);
  }
  const Address<Scalar>* addresses_of_v() const { return m_pointers.data(); }
  const Address<Scalar>* addresses_of_z() const { return m_pointers.data() + m_restart + 1; }
  const Address<Scalar>* addresses_of_spare() const { return m_pointers.data() + 2 * m_restart + 1; }

  int m_restart;
  int m_spare;
  Numbers m_numbers;
  Length m_length;
  // The vectors' data: v, then z, then spare ones.
  Pointers m_pointers;
  std::vector<Vector> m_v;
  std::vector<Vector> m_z;
  std::vector<Vector> m_more;
  Dots m_dots;

 private:
  template <class Matrix, class Precond, class FinishOf>
  void step(const Exec& exec, const Matrix& a, const Precond& m, int kept, int j, const KrylovRun& run,
            const FinishOf& finish_of) const {
    auto const progress = this->m_progress.ref(run);
    auto const column = as_size(kept + j);
    auto const& w = m_v[column + 1];
    m.solve(exec, m_v[column], m_z[column]);
    apply(exec, a, m_z[column], w);
    orthogonalize(
        exec, w, kept + j + 1,
        finish_of(j, FgmresColumnFinish{progress, system(), coefficients(0) + kept, coefficients(1) + kept, j}));
    this->update(exec, this->m_label + "::normalize", 2,
                 FgmresScale<Scalar>{progress, system().m_scale, this->data(w), this->data(w)});
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
