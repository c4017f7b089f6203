// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../blocks/block_case.hpp"
#include "../support/assemble.hpp"

#include "unit_tests/support/cuda_devices.hpp"

#include <hyperplane/grid/grid_on_devices_cuda.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/block_ilu0_on_devices_cuda.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/stencil/apply_on_devices_cuda.hpp>
#include <hyperplane/stencil/apply_transposed.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

namespace hyperplane::perf {

/// A box that is cut along k over devices, or parts that do not know of one another, and BILU(0) of it.
namespace on_devices {

using Exec = Kokkos::Cuda;
using test::DeviceInstances;
constexpr int n = 5;
using Vector = BlockVector<double, n, Exec>;

/// The values of a layer.
struct GatherLayer {
  Vector::Ref m_from;
  double* m_to;
  int m_k;
  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    Point p = m_from.grid().point(number / n);
    p.k = m_k;
    m_to[number] = m_from(p, static_cast<int>(number % n));
  }
};

inline std::vector<double> layer(const Exec& exec, const Vector& x, int k) {
  auto const size = std::int64_t{x.grid().ni()} * x.grid().nj() * n;
  Kokkos::View<double*, Exec> const values(Kokkos::view_alloc(exec, "layer"), size);
  Kokkos::parallel_for("layer", Kokkos::RangePolicy<Exec>(exec, 0, size), GatherLayer{x.ref(), values.data(), k});
  auto const host = Kokkos::create_mirror_view(values);
  Kokkos::deep_copy(exec, host, values);
  exec.fence();
  return {host.data(), host.data() + size};
}

/// What is verified.
enum class Operation { solve, solve_transposed, apply, apply_transposed };

/// What the whole box on the first device gives in some layers.
template <class Storage>
std::vector<double> whole_layers(const Grid& box, const std::vector<int>& layers, Operation operation) {
  Exec const exec;
  RandomSystem const system{box, n};
  BlockStencil7<double, n, Exec, Storage> const a(exec, box);
  Vector const b(exec, box), x(exec, box);
  assemble(exec, system, a);
  assemble(exec, system, b);
  if (operation == Operation::apply) {
    apply(exec, a, b, x);
  } else if (operation == Operation::apply_transposed) {
    apply_transposed(exec, a, b, x);
  } else {
    BlockIlu0<double, n, Exec, Storage> ilu(exec, box, {.path = SweepPath::slab});
    ilu.factor(exec, a);
    operation == Operation::solve ? ilu.solve(exec, b, x) : ilu.solve_transposed(exec, b, x);
  }
  std::vector<double> result;
  for (int const k : layers) {
    auto const values = layer(exec, x, k);
    result.insert(result.end(), values.begin(), values.end());
  }
  return result;
}

/// The first layer of a part.
inline int begin_of(const Grid& box, int part, int devices) {
  return GridOnDevices<Exec>::first_layer(box, part, devices);
}

/// Layers at both ends of each part, by their numbers in the box.
inline std::vector<int> checked_layers(const Grid& box, int devices) {
  std::vector<int> result;
  for (int p = 0; p < devices; ++p) {
    result.push_back(begin_of(box, p, devices));
    result.push_back(begin_of(box, p + 1, devices) - 1);
  }
  return result;
}

/// A box over devices.
class DeviceProblem {
 public:
  DeviceProblem(const Grid& box, int devices, bool coupled)
      : m_instances(devices),
        m_grid(m_instances.all(), box),
        m_a(m_exec, m_grid),
        m_b(m_exec, m_grid),
        m_x(m_exec, m_grid) {
    RandomSystem const system{box, n};
    if (coupled) m_whole = std::make_unique<BlockIlu0OnDevices<double, n, Exec>>(m_grid);
    m_grid.for_parts([&](int p) {
      auto const& exec = m_grid.exec(p);
      PartOfSystem const of_part{system, {0, 0, m_grid.first_layer(p)}};
      assemble(exec, of_part, m_a.part(p));
      assemble(exec, of_part, m_b.part(p));
      if (!coupled) m_parts.emplace_back(exec, m_grid.part(p));
    });
    factor();
    fence();
  }

  void factor() {
    if (m_whole) return m_whole->factor(m_a.parts());
    m_grid.for_parts([&](int p) { m_parts[static_cast<std::size_t>(p)].factor(m_grid.exec(p), m_a.part(p)); });
  }
  void solve() const {
    if (m_whole) return m_whole->solve(m_b.parts(), m_x.parts());
    m_grid.for_parts(
        [&](int p) { m_parts[static_cast<std::size_t>(p)].solve(m_grid.exec(p), m_b.part(p), m_x.part(p)); });
  }
  void solve_transposed() const { m_whole->solve_transposed(m_b.parts(), m_x.parts()); }
  void apply() const { hyperplane::apply(m_exec, m_a, m_b, m_x); }
  void apply_transposed() const { hyperplane::apply_transposed(m_exec, m_a, m_b, m_x); }
  void run(Operation operation) const {
    switch (operation) {
      case Operation::solve: return solve();
      case Operation::solve_transposed: return solve_transposed();
      case Operation::apply: return apply();
      case Operation::apply_transposed: return apply_transposed();
    }
  }

  /// Iterations of BiCGStab with `natural` from x = 0, and what a solve begins with.
  static constexpr int iterations = 4;
  void iterate() {
    if (!m_krylov) m_krylov = std::make_unique<Krylov>(m_exec, m_grid, limits());
    m_grid.for_parts([&](int p) { Kokkos::deep_copy(m_grid.exec(p), m_x.part(p).flat(), 0.0); });
    auto const result = m_krylov->solve(m_exec, m_a, *m_whole, m_b, m_x);
    if (result.iterations != iterations) throw std::runtime_error("BiCGStab ended: " + result.message());
  }
  void fence() const {
    for (auto const& exec : m_instances.all()) exec.fence();
    m_exec.fence();
  }

  /// The values of checked_layers().
  std::vector<double> results() const {
    std::vector<double> result;
    m_grid.for_parts([&](int p) {
      for (int const k : {0, m_grid.part(p).nk() - 1}) {
        auto const values = layer(m_grid.exec(p), m_x.part(p), k);
        result.insert(result.end(), values.begin(), values.end());
      }
    });
    return result;
  }

 private:
  using Krylov = BiCgStab<BlockVectorOnDevices<double, n, Exec>>;

  static KrylovOptions limits() { return {.tolerance = 0, .max_iterations = iterations, .check_interval = iterations}; }

  Exec m_exec;
  DeviceInstances m_instances;
  GridOnDevices<Exec> m_grid;
  std::unique_ptr<BlockIlu0OnDevices<double, n, Exec>> m_whole;
  BlockStencil7OnDevices<double, n, Exec> m_a;
  BlockVectorOnDevices<double, n, Exec> m_b, m_x;
  std::unique_ptr<Krylov> m_krylov;
  mutable std::vector<BlockIlu0<double, n, Exec>> m_parts;
};

}  // namespace on_devices

}  // namespace hyperplane::perf
