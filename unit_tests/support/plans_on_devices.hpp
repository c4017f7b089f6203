// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <hyperplane/grid/grid_on_devices_cuda.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/block_ilu0_on_devices_cuda.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/ssor/ssor_on_devices_cuda.hpp>
#include <span>
#include <string>
#include <vector>

#include "execution_spaces.hpp"
#include "matchers.hpp"
#include "occupy.hpp"
#include "on_devices.hpp"

// Preconditioners over devices, whose bits are those of the whole box on one.
namespace hyperplane::test::on_devices {

/// BILU(0), over devices and of the whole box.
struct Bilu0 {
  template <int n, class Storage, class Scalar>
  using Plan = BlockIlu0OnDevices<Scalar, n, Exec, Storage>;
  template <int n, class Storage, class Scalar>
  using Whole = BlockIlu0<Scalar, n, Exec, Storage>;
  static BlockIlu0PartOptions of_parts(int multiprocessors) { return {.multiprocessors = multiprocessors}; }
  static BlockIlu0Options of_whole(SweepPath path) { return {.path = path}; }
};

struct OverRelaxed {
  static constexpr double relaxation = 1.3;
  template <int n, class Storage, class Scalar>
  using Plan = SsorOnDevices<Scalar, n, Exec, Storage>;
  template <int n, class Storage, class Scalar>
  using Whole = Ssor<Scalar, n, Exec, Storage>;
  static SsorPartOptions of_parts(int multiprocessors) {
    return {.relaxation = relaxation, .multiprocessors = multiprocessors};
  }
  static SsorOptions of_whole(SweepPath path) { return {.relaxation = relaxation, .path = path}; }
};

/// The parts of a system whose matrix is stored as Given, and their factors as Storage.
template <class Kind, int n, class Storage = double, class Scalar = double, class Given = Storage>
class PartsOf {
 public:
  using Plan = typename Kind::template Plan<n, Storage, Scalar>;
  using Matrix = BlockStencil7<Scalar, n, Exec, Given>;
  using Vector = BlockVector<Scalar, n, Exec>;

  PartsOf(const ReferenceStencil& system, int count, int multiprocessors)
      : m_instances(count), m_grid(m_instances.all(), system.grid), m_plan(m_grid, Kind::of_parts(multiprocessors)) {
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

/// The preconditioner of the whole box, on one device.
template <class Kind, int n, class Storage, class Scalar = double, class Given = Storage>
typename Kind::template Whole<n, Storage, Scalar> plan_of_whole(const ReferenceStencil& system,
                                                                SweepPath path = SweepPath::portable) {
  Exec const exec;
  typename Kind::template Whole<n, Storage, Scalar> plan(exec, system.grid, Kind::of_whole(path));
  plan.factor(exec, to_device<Scalar, n, Given>(exec, system));
  exec.fence();
  return plan;
}
template <class Kind, int n, class Storage, class Scalar = double, class Given = Storage>
std::vector<double> solution_of_whole(const ReferenceStencil& system, const std::vector<double>& rhs) {
  Exec const exec;
  auto const plan = plan_of_whole<Kind, n, Storage, Scalar, Given>(system);
  auto const x = to_device<Scalar, n>(exec, system.grid, rhs);
  plan.solve(exec, x, x);
  return to_host(exec, x);
}
/// Paths differ in the bits of transposed solves.
template <class Kind, int n, class Storage, class Scalar = double, class Given = Storage>
std::vector<double> transposed_solution_of_whole(const ReferenceStencil& system, const std::vector<double>& rhs) {
  Exec const exec;
  auto const plan = plan_of_whole<Kind, n, Storage, Scalar, Given>(system, SweepPath::slab);
  auto const x = to_device<Scalar, n>(exec, system.grid, rhs);
  plan.solve_transposed(exec, x, x);
  return to_host(exec, x);
}

/// Factorizations, and plain and transposed solves in turns, which share the memory at the cuts.
template <class Kind, int n, class Storage = double, class Scalar = double, class Given = Storage>
void expect_bits_of_whole_box(const Grid& box, int count, int repetitions = 1) {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  auto const system = random_stencil(box, n);
  auto const rhs = random_vector(system.rows());
  auto const expected = solution_of_whole<Kind, n, Storage, Scalar, Given>(system, rhs);
  auto const transposed = transposed_solution_of_whole<Kind, n, Storage, Scalar, Given>(system, rhs);
  PartsOf<Kind, n, Storage, Scalar, Given> parts(system, count, share(count));
  auto const what = to_string(box) + ", n = " + std::to_string(n) + ", " + std::to_string(count) + " parts";
  for (int repetition = 0; repetition < repetitions; ++repetition) {
    auto const b = parts.to_parts(rhs);
    auto const x = parts.to_parts(std::vector<double>(rhs.size(), 0.0));
    auto const z = parts.to_parts(rhs);
    parts.factor();
    parts.factor();
    parts.plan().solve(b, x);
    parts.plan().solve_transposed(z, z);
    parts.plan().solve(x, x);
    parts.plan().solve_transposed(b, z);
    parts.plan().solve(b, x);
    EXPECT_TRUE(bitwise_equal(parts.from_parts(x), expected)) << what << ", repetition " << repetition;
    // Scalars have other kernels on one device.
    EXPECT_TRUE(n > 1 ? bitwise_equal(parts.from_parts(z), transposed)
                      : near(parts.from_parts(z), transposed, rounding<Scalar>(100, n)))
        << what << ", transposed, repetition " << repetition;
    EXPECT_TRUE(parts.plan().status().ok()) << what;
  }
}

/// A device begins after the others, which wait in their kernels.
template <class Kind>
void expect_bits_where_devices_start_late() {
  if (!has_capability_90<Exec>()) GTEST_SKIP() << "compute capability below 9.0";
  constexpr int n = 5;
  auto const system = random_stencil(Grid(19, 33, 27), n);
  auto const rhs = random_vector(system.rows());
  auto const expected = solution_of_whole<Kind, n, double>(system, rhs);
  auto const transposed = transposed_solution_of_whole<Kind, n, double>(system, rhs);
  PartsOf<Kind, n> parts(system, 2, share(2));
  // Its first call prepares launches.
  parts.factor();
  auto const first = parts.to_parts(rhs);
  parts.plan().solve_transposed(first, first);
  for (int const late : {0, 1}) {
    auto const x = parts.to_parts(rhs), z = parts.to_parts(rhs);
    Kokkos::parallel_for("Occupy", Kokkos::RangePolicy<Exec>(parts.exec(late), 0, 64), Occupy{100'000'000});
    parts.factor();
    parts.plan().solve(x, x);
    parts.plan().solve_transposed(z, z);
    EXPECT_TRUE(bitwise_equal(parts.from_parts(x), expected)) << "part " << late << " is late";
    EXPECT_TRUE(bitwise_equal(parts.from_parts(z), transposed)) << "part " << late << " is late";
  }
}

}  // namespace hyperplane::test::on_devices
