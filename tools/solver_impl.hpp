// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <hyperplane/hyperplane.hpp>
#include <memory>
#include <string>

#include "solver.hpp"

namespace hyperplane::tools {

/// Any preconditioner behind one interface, so that the methods are compiled once for each block size; measures the
/// time of every application.
template <class Vector>
class AnyPreconditioner {
 public:
  using Exec = typename Vector::execution_space;
  virtual ~AnyPreconditioner() = default;
  virtual void apply_inverse(const Exec& exec, const Vector& r, const Vector& z) const = 0;
  /// Says where a pivot is singular; empty where none is.
  virtual std::string singular_pivot(const Exec& exec) const = 0;

  void solve(const Exec& exec, const Vector& r, const Vector& z) const {
    exec.fence();
    Kokkos::Timer const timer;
    apply_inverse(exec, r, z);
    exec.fence();
    m_seconds.push_back(timer.seconds());
  }
  const std::vector<double>& seconds() const { return m_seconds; }

 private:
  mutable std::vector<double> m_seconds;
};

template <class Vector, class Held>
class HeldPreconditioner final : public AnyPreconditioner<Vector> {
 public:
  using typename AnyPreconditioner<Vector>::Exec;
  explicit HeldPreconditioner(Held held) : m_held(std::move(held)) {}
  void apply_inverse(const Exec& exec, const Vector& r, const Vector& z) const override { m_held.solve(exec, r, z); }
  std::string singular_pivot(const Exec& exec) const override {
    if constexpr (requires { m_held.status(exec); }) {
      if (auto const status = m_held.status(exec); !status.ok()) return status.message();
    }
    return {};
  }

 private:
  Held m_held;
};

/// The matrix behind one interface, whatever its storage.
template <class Vector>
class AnyMatrix {
 public:
  using Exec = typename Vector::execution_space;
  virtual ~AnyMatrix() = default;
  virtual void multiply(const Exec& exec, const Vector& x, const Vector& y) const = 0;
  virtual std::unique_ptr<AnyPreconditioner<Vector>> factor(const Exec& exec, const SolverSettings& settings) const = 0;

  friend void apply(const Exec& exec, const AnyMatrix& a, const Vector& x, const Vector& y) { a.multiply(exec, x, y); }
};

template <class Vector, class Storage>
class StencilMatrix final : public AnyMatrix<Vector> {
 public:
  using typename AnyMatrix<Vector>::Exec;
  using Scalar = typename Vector::scalar_type;
  static constexpr int n = Vector::block_size;

  StencilMatrix(const Exec& exec, const HostStencil& a) : m_stencil(exec, a.grid) {
    using HostView =
        Kokkos::View<const double****, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    HostView const host(a.values.data(), a.grid.size(), stencil7_size, n, n);
    auto const device = Kokkos::create_mirror_view_and_copy(typename Exec::memory_space{}, host);
    pack(exec, device, m_stencil);
    exec.fence();
  }

  void multiply(const Exec& exec, const Vector& x, const Vector& y) const override { apply(exec, m_stencil, x, y); }

  std::unique_ptr<AnyPreconditioner<Vector>> factor(const Exec& exec, const SolverSettings& settings) const override {
    switch (settings.preconditioner) {
      case PreconditionerKind::bilu0: return factored<BlockIlu0<Scalar, n, Exec, Storage>>(exec);
      case PreconditionerKind::ssor:
        return factored<Ssor<Scalar, n, Exec, Storage>>(exec, SsorOptions{.relaxation = settings.relaxation});
      case PreconditionerKind::sip:
        if constexpr (n == 1) return factored<Sip<Scalar, Exec, Storage>>(exec, SipOptions{.alpha = settings.alpha});
        break;
      case PreconditionerKind::lines:
        return factored<LineImplicit<Scalar, n, Exec, Storage>>(exec, line_options(settings));
      case PreconditionerKind::jacobi: return factored<BlockJacobi<Scalar, n, Exec, Storage>>(exec);
      case PreconditionerKind::none: break;
    }
    return std::make_unique<HeldPreconditioner<Vector, IdentityPreconditioner>>(IdentityPreconditioner{});
  }

 private:
  static LineImplicitOptions line_options(const SolverSettings& settings) {
    LineImplicitOptions options{.sweeps = settings.line_sweeps, .relaxation = settings.relaxation};
    switch (settings.line_direction) {
      case LineDirectionKind::i: options.directions = {LineDirection::i}; break;
      case LineDirectionKind::j: options.directions = {LineDirection::j}; break;
      case LineDirectionKind::k: options.directions = {LineDirection::k}; break;
      case LineDirectionKind::alternating:
        options.directions = {LineDirection::i, LineDirection::j, LineDirection::k};
        break;
    }
    return options;
  }

  template <class Held, class... Options>
  std::unique_ptr<AnyPreconditioner<Vector>> factored(const Exec& exec, const Options&... options) const {
    Held held(exec, m_stencil.grid(), options...);
    held.factor(exec, m_stencil);
    return std::make_unique<HeldPreconditioner<Vector, Held>>(std::move(held));
  }

  BlockStencil7<Scalar, n, Exec, Storage> m_stencil;
};

template <int n, class Exec>
SolverReport solve_system(const SolverSettings& settings, const HostStencil& host_a, const std::vector<double>& host_b,
                          std::vector<double>& host_x) {
  using Vector = BlockVector<double, n, Exec>;
  Exec const exec{};
  SolverReport report;
  Kokkos::Timer timer;
  auto const lap = [&] {
    exec.fence();
    double const seconds = timer.seconds();
    timer.reset();
    return seconds;
  };

  std::unique_ptr<AnyMatrix<Vector>> a;
  if (settings.storage == StorageKind::double_precision) {
    a = std::make_unique<StencilMatrix<Vector, double>>(exec, host_a);
  } else {
    a = std::make_unique<StencilMatrix<Vector, float>>(exec, host_a);
  }
  Vector const b(exec, host_a.grid), x(exec, host_a.grid);
  Kokkos::View<double*, typename Exec::memory_space> const rows("rows", host_b.size());
  Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const given(host_b.data(),
                                                                                                      host_b.size());
  Kokkos::deep_copy(exec, rows, given);
  pack(exec, rows, b);
  report.times.setup = lap();

  auto const preconditioner = a->factor(exec, settings);
  report.times.factor = lap();
  if (auto const singular = preconditioner->singular_pivot(exec); !singular.empty()) throw Error(singular);

  auto const run = [&](const auto& method) { report.result = method.solve(exec, *a, *preconditioner, b, x); };
  switch (settings.method) {
    case Method::richardson: run(Richardson<Vector>(exec, host_a.grid, settings.krylov)); break;
    case Method::bicgstab: run(BiCgStab<Vector>(exec, host_a.grid, settings.krylov)); break;
    case Method::fgmres: run(Fgmres<Vector>(exec, host_a.grid, settings.krylov)); break;
  }
  report.times.solve = lap();
  report.times.preconditioner_solves = preconditioner->seconds();

  unpack(exec, x, rows);
  host_x.resize(host_b.size());
  Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>> const taken(host_x.data(),
                                                                                                host_x.size());
  Kokkos::deep_copy(exec, taken, rows);
  exec.fence();
  return report;
}

#define HYPERPLANE_TOOLS_INSTANTIATE(n, Exec)                                                                        \
  template SolverReport solve_system<n, Exec>(const SolverSettings&, const HostStencil&, const std::vector<double>&, \
                                              std::vector<double>&)
#ifdef KOKKOS_ENABLE_SERIAL
#define HYPERPLANE_TOOLS_INSTANTIATE_SERIAL(n) HYPERPLANE_TOOLS_INSTANTIATE(n, Kokkos::Serial)
#else
#define HYPERPLANE_TOOLS_INSTANTIATE_SERIAL(n) static_assert(true)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
#define HYPERPLANE_TOOLS_INSTANTIATE_OPENMP(n) HYPERPLANE_TOOLS_INSTANTIATE(n, Kokkos::OpenMP)
#else
#define HYPERPLANE_TOOLS_INSTANTIATE_OPENMP(n) static_assert(true)
#endif
#ifdef KOKKOS_ENABLE_CUDA
#define HYPERPLANE_TOOLS_INSTANTIATE_CUDA(n) HYPERPLANE_TOOLS_INSTANTIATE(n, Kokkos::Cuda)
#else
#define HYPERPLANE_TOOLS_INSTANTIATE_CUDA(n) static_assert(true)
#endif
#define HYPERPLANE_TOOLS_INSTANTIATE_ALL(n) \
  HYPERPLANE_TOOLS_INSTANTIATE_SERIAL(n);   \
  HYPERPLANE_TOOLS_INSTANTIATE_OPENMP(n);   \
  HYPERPLANE_TOOLS_INSTANTIATE_CUDA(n)

}  // namespace hyperplane::tools
