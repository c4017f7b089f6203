// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../blocks/block_case.hpp"
#include "../support/assemble.hpp"

#include "unit_tests/support/cuda_devices.hpp"

#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/block_ilu0_on_devices_cuda.hpp>

#include <Kokkos_Core.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
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

/// What the whole box on the first device gives in some layers.
template <class Storage>
std::vector<double> whole_layers(const Grid& box, const std::vector<int>& layers) {
  Exec const exec;
  RandomSystem const system{box, n};
  BlockStencil7<double, n, Exec, Storage> const a(exec, box);
  Vector const x(exec, box);
  assemble(exec, system, a);
  assemble(exec, system, x);
  BlockIlu0<double, n, Exec, Storage> ilu(exec, box);
  ilu.factor(exec, a);
  ilu.solve(exec, x, x);
  std::vector<double> result;
  for (int const k : layers) {
    auto const values = layer(exec, x, k);
    result.insert(result.end(), values.begin(), values.end());
  }
  return result;
}

/// The first layer of a part.
inline int begin_of(const Grid& box, int part, int devices) {
  return BlockIlu0OnDevices<double, n, Exec>::first_layer(box, part, devices);
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
  DeviceProblem(const Grid& box, int devices, bool coupled) : m_instances(devices) {
    RandomSystem const system{box, n};
    if (coupled) m_whole = std::make_unique<BlockIlu0OnDevices<double, n, Exec>>(m_instances.all(), box);
    for (int d = 0; d < devices; ++d) {
      auto const& exec = m_instances.all()[static_cast<std::size_t>(d)];
      cuda::CurrentDevice const current(exec.cuda_device());
      int const begin = begin_of(box, d, devices);
      Grid const part(box.ni(), box.nj(), begin_of(box, d + 1, devices) - begin);
      m_a.emplace_back(exec, part);
      m_b.emplace_back(exec, part);
      m_x.emplace_back(exec, part);
      PartOfSystem const of_part{system, {0, 0, begin}};
      assemble(exec, of_part, m_a.back());
      assemble(exec, of_part, m_b.back());
      if (!coupled) m_parts.emplace_back(exec, part);
    }
    factor();
    fence();
  }

  void factor() {
    if (m_whole) return m_whole->factor(std::span<const BlockStencil7<double, n, Exec>>(m_a));
    for_parts([&](const Exec& exec, std::size_t p) { m_parts[p].factor(exec, m_a[p]); });
  }
  void solve() const {
    if (m_whole) return m_whole->solve(m_b, m_x);
    for_parts([&](const Exec& exec, std::size_t p) { m_parts[p].solve(exec, m_b[p], m_x[p]); });
  }
  void fence() const {
    for (auto const& exec : m_instances.all()) exec.fence();
  }

  /// The values of checked_layers().
  std::vector<double> results() const {
    std::vector<double> result;
    for_parts([&](const Exec& exec, std::size_t p) {
      for (int const k : {0, m_x[p].grid().nk() - 1}) {
        auto const values = layer(exec, m_x[p], k);
        result.insert(result.end(), values.begin(), values.end());
      }
    });
    return result;
  }

 private:
  template <class Run>
  void for_parts(const Run& run) const {
    for (std::size_t p = 0; p < m_x.size(); ++p) {
      auto const& exec = m_instances.all()[p];
      cuda::CurrentDevice const current(exec.cuda_device());
      run(exec, p);
    }
  }

  DeviceInstances m_instances;
  std::unique_ptr<BlockIlu0OnDevices<double, n, Exec>> m_whole;
  std::vector<BlockStencil7<double, n, Exec>> m_a;
  std::vector<Vector> m_b, m_x;
  mutable std::vector<BlockIlu0<double, n, Exec>> m_parts;
};

}  // namespace on_devices

}  // namespace hyperplane::perf
