// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "../blocks/block_case.hpp"
#include "../support/assemble.hpp"
#include "../support/cost_model.hpp"
#include "../support/harness.hpp"
#include "../support/stream.hpp"
#include "timing.hpp"

#include "unit_tests/support/cuda_devices.hpp"
#include "unit_tests/support/transfer.hpp"

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/apply_on_devices.hpp>
#include <hyperplane/blocks/coupling.hpp>
#include <hyperplane/blocks/multi_block.hpp>
#include <hyperplane/blocks/multi_block_on_devices.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace hyperplane::perf {

namespace on_devices {

/// Grid blocks over devices, and BILU(0) of them, n = 5.
class BlocksOverDevices {
 public:
  using Exec = Kokkos::Cuda;
  static constexpr int n = 5;

  BlocksOverDevices(const BlockCase& blocks, int devices, Coupling coupling)
      : m_case(blocks),
        m_options{.coupling = coupling},
        m_instances(devices),
        m_grid(m_instances.all(), blocks.grid()),
        m_a(m_exec, m_grid),
        m_b(m_exec, m_grid),
        m_x(m_exec, m_grid),
        m_plan(m_grid, m_options) {
    m_grid.for_parts([&](int p) {
      for (int const b : m_grid.blocks(p)) {
        assemble(m_grid.exec(p), blocks.part(b, n), m_a.block(b));
        assemble(m_grid.exec(p), blocks.part(b, n), m_b.block(b));
      }
    });
    factor();
    fence();
  }

  void factor() { m_plan.factor(m_exec, m_a); }
  void solve() const { m_plan.solve(m_exec, m_b, m_x); }
  void apply() const { hyperplane::apply(m_exec, m_a, m_b, m_x); }
  void fence() const { m_exec.fence(); }

  /// Products and solves have the bits of one device, or std::runtime_error is thrown.
  void verify() {
    MultiBlockStencil7<double, n, Exec> const a(m_exec, m_case.grid());
    MultiBlockVector<double, n, Exec> const b(m_exec, m_case.grid()), x(m_exec, m_case.grid());
    for (int g = 0; g < m_case.grid().block_count(); ++g) {
      assemble(m_exec, m_case.part(g, n), a.block(g));
      assemble(m_exec, m_case.part(g, n), b.block(g));
    }
    MultiBlock<BlockIlu0<double, n, Exec>> plan(m_exec, m_case.grid(), m_options);
    plan.factor(m_exec, a);
    plan.solve(m_exec, b, x);
    solve();
    check("solve", x);
    hyperplane::apply(m_exec, a, b, x);
    apply();
    check("apply", x);
  }

 private:
  void check(const std::string& what, const MultiBlockVector<double, n, Exec>& expected) const {
    fence();
    for (int g = 0; g < m_case.grid().block_count(); ++g) {
      if (test::to_host(m_exec, m_x.block(g)) == test::to_host(m_exec, expected.block(g))) continue;
      throw std::runtime_error(what + " of " + m_case.name() + " in " + std::to_string(m_grid.count()) +
                               " parts has other bits than on one device in grid block " + std::to_string(g));
    }
  }

  BlockCase m_case;
  MultiBlockOptions<BlockIlu0Options> m_options;
  Exec m_exec;
  test::DeviceInstances m_instances;
  MultiBlockGridOnDevices<Exec> m_grid;
  MultiBlockStencil7OnDevices<double, n, Exec> m_a;
  MultiBlockVectorOnDevices<double, n, Exec> m_b, m_x;
  MultiBlockOnDevices<BlockIlu0<double, n, Exec>> m_plan;
};

}  // namespace on_devices

/// Grid blocks over devices, 2 x 2 x 2 of them on each: `weak` boxes grow with the devices along k, `strong` ones do
/// not. With `natural` also 1 x 1 x 2 of them, so that kernels go from device to device. Verified against one device,
/// bit by bit.
class BlocksOverDevicesSuite {
 public:
  explicit BlocksOverDevicesSuite(const Settings& settings)
      : m_settings(settings),
        m_stream(std::make_shared<Stream<Kokkos::Cuda>>(m_exec, settings.stream_bytes<Kokkos::Cuda>())) {}

  void register_all() {
    int const size = m_settings.smoke ? 16 : 128;
    for (int count = 1; count <= test::DeviceInstances::device_count(); count *= 2) {
      for (auto const coupling : {Coupling::none, Coupling::coloured, Coupling::natural}) {
        add_cases(size, 2, count, coupling);
      }
      add_cases(size, 1, count, Coupling::natural);
    }
  }

 private:
  /// With so many grid blocks along i and j, and two for each device along k.
  void add_cases(int size, int across, int count, Coupling coupling) {
    std::array<int, 3> const parts{across, across, 2 * count};
    add_case("weak", BlockCase(Grid(size, size, size * count), parts), count, coupling);
    if (count > 1) add_case("strong", BlockCase(Grid(size, size, size), parts), count, coupling);
  }

  using Problem = on_devices::BlocksOverDevices;

  void add_case(const std::string& kind, const BlockCase& blocks, int devices, Coupling coupling) {
    constexpr int n = Problem::n;
    auto const key = std::string("Cuda/blocks_") + name(coupling) + "/double/n=" + std::to_string(n) + "/" + kind +
                     "_" + blocks.name() + "/devices=" + std::to_string(devices);
    auto const add = [&](const std::string& what, const Cost& cost, void (*run)(Problem&)) {
      add_benchmark(m_settings, what + "/" + key, [=, this](benchmark::State& state) {
        if (m_key != key) {
          m_problem.reset();
          m_key.clear();
          m_problem = std::make_unique<Problem>(blocks, devices, coupling);
          m_problem->verify();
          m_key = key;
        }
        on_devices::time_run(
            state, m_exec, *m_stream, devices, cost.bytes * static_cast<double>(blocks.grid().size()),
            [&] { run(*m_problem); }, [&] { m_problem->fence(); });
      });
    };
    add("factor", factor_cost(n, sizeof(double), sizeof(double)), [](Problem& p) { p.factor(); });
    add("solve", solve_cost(n, sizeof(double), sizeof(double)), [](Problem& p) { p.solve(); });
    if (coupling == Coupling::none) {
      add("apply", apply_cost(n, sizeof(double), sizeof(double)), [](Problem& p) { p.apply(); });
    }
  }

  Settings m_settings;
  Kokkos::Cuda m_exec;
  std::shared_ptr<Stream<Kokkos::Cuda>> m_stream;
  std::string m_key;
  std::unique_ptr<Problem> m_problem;
};

}  // namespace hyperplane::perf
