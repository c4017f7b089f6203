// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <cstddef>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/krylov/concepts.hpp>
#include <hyperplane/krylov/detail/fgmres_kernels.hpp>
#include <hyperplane/krylov/detail/krylov_method.hpp>
#include <hyperplane/krylov/options.hpp>
#include <initializer_list>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What flexible methods share whatever they keep their directions in: z, what preconditioners made of directions, and
/// the least squares problem of a cycle.
template <class Method, KrylovVector Vector>
class FlexibleCycles : public KrylovMethod<Method, Vector> {
  using Base = KrylovMethod<Method, Vector>;

 public:
  using typename Base::Exec;
  using typename Base::Scalar;

  // NOLINTNEXTLINE(bugprone-crtp-constructor-accessibility): methods have it
  FlexibleCycles(const Exec& exec, const VectorDomain<Vector>& domain, const char* method,
                 const KrylovOptions& krylov_options)
      : Base(exec, domain, method, krylov_options),
        m_restart(std::max(1, std::min(this->m_options.restart, this->m_options.max_iterations))),
        m_numbers(Processes::made(domain,
                                  [&] {
                                    return Numbers(Kokkos::view_alloc(exec, this->m_label + "::system"),
                                                   as_size(FgmresSystem::numbers(m_restart) + 2 * (m_restart + 1)));
                                  })),
        m_length(Processes::made(domain, [&] { return Length(Kokkos::view_alloc(exec, this->m_label + "::length")); })),
        m_z(make_vectors(exec, domain, m_restart, "::z")),
        m_addresses_of_z(addresses(exec, domain, pointers({&m_z}))) {}

 protected:
  using typename Base::Processes;
  using Numbers = Kokkos::View<double*, typename Exec::memory_space>;
  using Length = Kokkos::View<int, typename Exec::memory_space>;
  template <class Value>
  using Addresses = Kokkos::View<Address<Value>*, typename Exec::memory_space>;

  std::vector<Vector> make_vectors(const Exec& exec, const VectorDomain<Vector>& domain, int count,
                                   const char* what) const {
    std::vector<Vector> result;
    result.reserve(as_size(count));
    for (int j = 0; j < count; ++j) result.push_back(make_vector<Vector>(exec, domain, this->m_label + what));
    return result;
  }

  static std::vector<Scalar*> pointers(std::initializer_list<const std::vector<Vector>*> lists) {
    std::vector<Scalar*> result;
    for (auto const* const list : lists) {
      for (auto const& v : *list) result.push_back(Base::data(v));
    }
    return result;
  }

  /// For kernels.
  template <class Value>
  Addresses<Value> addresses(const Exec& exec, const VectorDomain<Vector>& domain,
                             const std::vector<Value*>& data) const {
    auto const result = Processes::made(
        domain, [&] { return Addresses<Value>(Kokkos::view_alloc(exec, this->m_label + "::addresses"), data.size()); });
    auto const host = Kokkos::create_mirror_view(result);
    for (std::size_t j = 0; j < data.size(); ++j) host(j).m_data = data[j];
    Kokkos::deep_copy(exec, result, host);
    exec.fence("Hyperplane: addresses of directions are on the device");
    return result;
  }

  /// m_r = b - A x, its norm, and the least squares problem of a cycle without columns.
  template <class Matrix>
  void launch_residual(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x,
                       const KrylovRun& run) const {
    this->compute_residual(exec, a, b, x, run, FgmresStartFinish{this->m_progress.ref(run), system()});
  }

  /// The direction that a cycle begins with is m_r.
  void launch_first_direction(const Exec& exec, const Vector& direction, const KrylovRun& run) const {
    this->update(
        exec, this->m_label + "::first_direction", 2,
        FgmresScale<Scalar>{this->m_progress.ref(run), system().m_scale, this->data(this->m_r), this->data(direction)});
  }

  /// step(j) launches iteration j of a cycle: until as many as there may be, or until the host sees that they are
  /// enough.
  template <class Step>
  Phase cycle_of(const Exec& exec, int most, KrylovRun& run, const Step& step) const {
    Phase phase = Phase::running;
    int const columns = std::min(most, run.remaining());
    int unseen = 0;
    int steps = this->m_progress.steps(run);
    for (int j = 0; j < columns && phase == Phase::running && !run.m_stopped; ++j) {
      step(j);
      if (++unseen < steps && j + 1 < columns) continue;
      phase = this->m_progress.look(exec, run, unseen);
      unseen = 0;
      steps = this->m_progress.steps(run);
    }
    return phase;
  }

  /// Cycles of FGMRES: start() launches the residual and the first direction, cycle() the iterations.
  template <class Matrix, class Start, class Cycle>
  Phase cycles(const Exec& exec, const Matrix& a, const Vector& b, const Vector& x, KrylovRun& run, const Start& start,
               const Cycle& cycle) const {
    Phase phase = this->begin(exec, b, x, run, start);
    while (run.goes_on(phase)) {
      int const first = run.m_result.iterations;
      phase = cycle();
      // Direction that the cycle broke down on.
      int const broken = phase == Phase::breakdown ? run.m_result.iterations - first : -1;
      launch(this->m_label + "::back_substitution", IndexRange<Exec>(exec, 0, 1), sizeof(Scalar),
             FgmresBackSubstitution{system()});
      launch_update(exec, x, run.m_result.iterations - first, run);
      // The estimate has the last word on a breakdown alone; everything else is decided by the residual of x.
      phase = this->restart(exec, run, start);
      if (broken >= 0 && phase == Phase::running) phase = break_down(exec, a, broken, run);
    }
    return phase;
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

  /// After a breakdown, of all of them from the one of this number on: see clear().
  void clear_all(const Exec& exec, const std::vector<Vector>& all, int first) const {
    for (std::size_t j = as_size(first); j < all.size(); ++j) this->clear(exec, all[j]);
  }

  FgmresSystem system() const { return FgmresSystem(m_numbers.data(), m_length.data(), m_restart); }
  /// Memory for 2 (m_restart + 1) sums.
  double* sums() const { return m_numbers.data() + FgmresSystem::numbers(m_restart); }
  const Address<Scalar>* addresses_of_z() const { return m_addresses_of_z.data(); }

  int m_restart;
  Numbers m_numbers;
  Length m_length;
  std::vector<Vector> m_z;
  Addresses<Scalar> m_addresses_of_z;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
