// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <hyperplane/grid/grid_on_devices_cuda.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/block_ilu0_on_devices_cuda.hpp>
#include <span>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/on_devices.hpp"

namespace hyperplane::test::on_devices {

/// The parts of a system whose matrix is stored as Given, and their factors as Storage.
template <int n, class Storage = double, class Scalar = double, class Given = Storage>
class Parts {
 public:
  using Plan = BlockIlu0OnDevices<Scalar, n, Exec, Storage>;
  using Matrix = BlockStencil7<Scalar, n, Exec, Given>;
  using Vector = BlockVector<Scalar, n, Exec>;

  Parts(const ReferenceStencil& system, int count, int multiprocessors)
      : m_instances(count),
        m_grid(m_instances.all(), system.grid),
        m_plan(m_grid, {.multiprocessors = multiprocessors}) {
    set(system);
  }

  Plan& plan() { return m_plan; }
  const Exec& exec(int p) const { return m_grid.exec(p); }
  void set(const ReferenceStencil& system) {
    m_a.clear();
    for (int p = 0; p < m_grid.count(); ++p) {
      m_a.push_back(to_device<Scalar, n, Given>(exec(p), layers_of(system, m_grid, p)));
    }
  }
  void factor() { m_plan.factor(std::span<const Matrix>(m_a)); }
  std::vector<Vector> to_parts(const std::vector<double>& values) const {
    std::vector<Vector> result;
    for (int p = 0; p < m_grid.count(); ++p) {
      result.push_back(to_device<Scalar, n>(exec(p), m_grid.part(p), values_of(values, m_grid, p, n)));
    }
    return result;
  }
  std::vector<double> from_parts(const std::vector<Vector>& x) const { return on_devices::from_parts(m_grid, x); }

 private:
  DeviceInstances m_instances;
  GridOnDevices<Exec> m_grid;
  Plan m_plan;
  std::vector<Matrix> m_a;
};

/// BILU(0) of the whole box, on one device.
template <int n, class Storage, class Scalar = double, class Given = Storage>
BlockIlu0<Scalar, n, Exec, Storage> whole_plan(const ReferenceStencil& system) {
  Exec const exec;
  BlockIlu0<Scalar, n, Exec, Storage> plan(exec, system.grid, {.path = SweepPath::portable});
  plan.factor(exec, to_device<Scalar, n, Given>(exec, system));
  exec.fence();
  return plan;
}
template <int n, class Storage, class Scalar = double, class Given = Storage>
std::vector<double> whole(const ReferenceStencil& system, const std::vector<double>& rhs) {
  Exec const exec;
  auto const plan = whole_plan<n, Storage, Scalar, Given>(system);
  auto const x = to_device<Scalar, n>(exec, system.grid, rhs);
  plan.solve(exec, x, x);
  return to_host(exec, x);
}

template <int n, class Storage = double, class Scalar = double, class Given = Storage>
void expect_bits_of_whole(const Grid& box, int count, int repetitions = 1) {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  auto const system = random_stencil(box, n);
  auto const rhs = random_vector(system.rows());
  auto const expected = whole<n, Storage, Scalar, Given>(system, rhs);
  Parts<n, Storage, Scalar, Given> parts(system, count, share(count));
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    auto const b = parts.to_parts(rhs);
    auto const x = parts.to_parts(std::vector<double>(rhs.size(), 0.0));
    parts.factor();
    parts.factor();
    parts.plan().solve(b, x);
    parts.plan().solve(x, x);
    parts.plan().solve(b, x);
    EXPECT_TRUE(bitwise_equal(parts.from_parts(x), expected))
        << to_string(box) << ", n = " << n << ", " << count << " parts, repetition " << repetition;
    EXPECT_TRUE(parts.plan().status().ok());
  }
}

}  // namespace hyperplane::test::on_devices
