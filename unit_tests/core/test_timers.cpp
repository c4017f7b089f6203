// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <hyperplane/array/box_packer.hpp>
#include <hyperplane/array/reductions.hpp>
#include <hyperplane/array/updates.hpp>
#include <hyperplane/core/timers.hpp>
#include <hyperplane/csr/narrow.hpp>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/csr/tall_product.hpp>
#include <hyperplane/field/field_jacobi.hpp>
#include <hyperplane/field/field_ssor.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/simultaneous_bicgstab.hpp>
#include <hyperplane/krylov/simultaneous_fgmres.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/kokkos_events.hpp"
#include "support/several_vectors.hpp"

namespace hyperplane::test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;

struct Nothing {
  KOKKOS_FUNCTION void operator()(int) const {}
};

class TimersTest : public ::testing::Test {
 protected:
  TimersTest() { Timers::reset(); }
  ~TimersTest() override {
    Timers::stop();
    Timers::reset();
  }

  static TimerEntry entry(const std::string& label) {
    for (auto const& e : Timers::entries()) {
      if (e.label == label) return e;
    }
    return {};
  }

  Exec exec;
  Kokkos::View<double***, Kokkos::LayoutLeft, Exec> x{"x", 10, 11, 12};
  Kokkos::View<double***, Kokkos::LayoutLeft, Exec> y{"y", 10, 11, 12};
  Box box = array_ref(x).box().without_boundary(1);
};

TEST_F(TimersTest, count_kernels_time_and_bytes) {
  axpy(exec, box, 2.0, x, y);
  EXPECT_THAT(Timers::entries(), ::testing::IsEmpty()) << "off: nothing is counted";
  Timers::start();
  EXPECT_TRUE(Timers::running());
  axpy(exec, box, 2.0, x, y);
  axpy(exec, array_ref(x).box(), 2.0, x, y);
  static_cast<void>(Reductions<Exec>(exec).dot(exec, box, x, y));
  Kokkos::parallel_for("of somebody else", Kokkos::RangePolicy<Exec>(exec, 0, 5), Nothing{});
  Timers::stop();
  axpy(exec, box, 2.0, x, y);
  auto const update = entry("Hyperplane::axpy");
  EXPECT_EQ(update.count, 2);
  EXPECT_EQ(update.bytes, 3.0 * 8 * (8 * 9 * 10 + 10 * 11 * 12));
  EXPECT_GT(update.seconds, 0.0);
  EXPECT_GT(update.gigabytes_per_second(), 0.0);
  EXPECT_EQ(entry("Hyperplane::dot").bytes, 2.0 * 8 * 8 * 9 * 10);
  EXPECT_EQ(entry("of somebody else").count, 1);
  EXPECT_EQ(entry("of somebody else").bytes, 0.0);
  auto const all = Timers::entries();
  for (std::size_t e = 1; e < all.size(); ++e) EXPECT_LE(all[e].seconds, all[e - 1].seconds);
  EXPECT_THAT(Timers::table(), ::testing::HasSubstr("Hyperplane::axpy"));
  EXPECT_THAT(Timers::json(), ::testing::HasSubstr("{\"label\": \"Hyperplane::axpy\", \"count\": 2, \"seconds\": "));
  Timers::reset();
  EXPECT_THAT(Timers::entries(), ::testing::IsEmpty());
}

TEST_F(TimersTest, bytes_are_those_of_kernels_that_run) {
  Grid const grid(9, 8, 7);
  BlockStencil7<double, 1, Exec> const a(exec, grid);
  ConstantStencil7<double> const laplacian{-1, -1, -1, 7, -1, -1, -1};
  detail::fill_stencil(exec, laplacian, a);
  using Vector = BlockVector<double, 1, Exec>;
  Vector const b(exec, grid), z(exec, grid);
  fill(exec, array_ref(b.flat()).box(), 0.0, b.flat());
  ScalarField<double, Exec> const r(exec, grid), q(exec, grid);
  BlockIlu0<double, 1, Exec> ilu(exec, grid);
  BlockJacobi<double, 1, Exec> jacobi(exec, grid);
  BiCgStab<Vector> const method(exec, grid, {.tolerance = 0, .max_iterations = 2});
  Kokkos::deep_copy(r.flat(), 1.0);
  pack(exec, r.flat(), b);
  Timers::start();
  ilu.factor(exec, a);
  method.solve(exec, a, ilu, b, z);
  jacobi.factor(exec, a);
  jacobi.solve(exec, b, z);
  residual(exec, a, b, z, b);
  FieldJacobi<ConstantStencil7<double>, Exec> field_jacobi(exec, grid, {.sweeps = 2});
  field_jacobi.factor(exec, laplacian);
  field_jacobi.solve(exec, r, q);
  FieldSsor<ConstantStencil7<double>, Exec> ssor(exec, grid);
  ssor.factor(exec, laplacian);
  ssor.solve(exec, r, q);
  apply(exec, laplacian, r, q);
  BoxPacker<double, Exec> const packer(exec, {{array_ref(r), Box::of(grid)}});
  packer.pack(exec, q.flat());
  packer.unpack(exec, q.flat());
  Timers::stop();
  int with_bytes = 0;
  for (auto const& found : Timers::entries()) {
    if (found.bytes == 0.0) continue;
    ++with_bytes;
    EXPECT_GT(found.count, 0) << found.label;
  }
  EXPECT_GE(with_bytes, 18);
  EXPECT_EQ(entry("Hyperplane::BlockStencil7::residual").bytes, 8.0 * 10 * static_cast<double>(grid.size()));
}

TEST_F(TimersTest, bytes_of_several_right_hand_sides_are_those_of_all) {
  constexpr int n = 2, count = 3, rows = 50, iterations = 4;
  auto const a = to_device<double, n, double>(exec, random_csr(rows, n));
  auto const copy = narrowed<float>(exec, a);
  using Vectors = PointVectors<double, n, count, Exec>;
  auto const b = to_vectors<double, n, count>(exec, random_vectors(count, rows * n));
  Vectors const x(exec, rows);
  SimultaneousBiCgStab<Vectors> const method(exec, rows, {.tolerance = 0, .max_iterations = iterations});
  Timers::start();
  narrow(exec, a, copy);
  method.solve(exec, a, IdentityPreconditioner(), b, x);
  Timers::stop();
  EXPECT_EQ(entry("Hyperplane::BlockCsr::narrow").bytes, 12.0 * n * n * static_cast<double>(a.blocks()));
  auto const expect_values = [&](const char* kernel, int values) {
    auto const found = entry(std::string("Hyperplane::SimultaneousBiCgStab::") + kernel);
    EXPECT_EQ(found.count, iterations) << kernel;
    EXPECT_EQ(found.bytes, 8.0 * values * iterations * count * n * rows) << kernel;
  };
  expect_values("half_step", 3);
  expect_values("direction", 4);
  for (auto const* const kernel : {"alpha", "omega", "update"}) {
    EXPECT_GT(entry(std::string("Hyperplane::SimultaneousBiCgStab::") + kernel).bytes, 0.0) << kernel;
  }
}

TEST_F(TimersTest, bytes_of_fgmres_are_those_of_its_directions) {
  constexpr int n = 2, count = 3, rows = 50, iterations = 4;
  auto const a = to_device<double, n, double>(exec, random_csr(rows, n));
  auto const b = to_vectors<double, n, count>(exec, random_vectors(count, rows * n));
  KrylovOptions const options{.tolerance = 0, .max_iterations = iterations};
  using Values = std::vector<std::pair<std::string, int>>;
  auto const expect_values = [&](int vectors, const Values& values) {
    for (auto const& [kernel, expected] : values) {
      EXPECT_EQ(entry("Hyperplane::" + kernel).bytes, 8.0 * expected * vectors * n * rows) << kernel;
    }
    Timers::reset();
  };
  {
    using Vectors = PointVectors<double, n, count, Exec>;
    Vectors const x(exec, rows);
    SimultaneousFgmres<Vectors> const method(exec, rows, options);
    Timers::start();
    method.solve(exec, a, IdentityPreconditioner(), b, x);
    Timers::stop();
  }
  expect_values(count, {{"Fgmres::dots", 2 * (2 + 3 + 4 + 5)},
                        {"SimultaneousFgmres::orthogonalize", 2 * (3 + 4 + 5 + 6)},
                        {"SimultaneousFgmres::norm", iterations},
                        {"SimultaneousFgmres::normalize", 3 * iterations},
                        {"SimultaneousFgmres::update", iterations + 2},
                        {"SimultaneousFgmres::first_direction", 2 * 3}});
  {
    using Vector = PointVector<double, n, Exec>;
    Vector const one(exec, rows), x(exec, rows);
    get_vector(exec, b, 0, one.flat());
    Fgmres<Vector> const method(exec, rows, options);
    Timers::start();
    method.solve(exec, a, IdentityPreconditioner(), one, x);
    Timers::stop();
  }
  // Where the first pass subtracts, the dot products of the second begin: on hosts while a chunk is in the cache. What
  // is left there after the second pass is read once more for its norm.
  constexpr int dots = 2 + 3 + 4 + 5, subtractions = 3 + 4 + 5 + 6;
  constexpr bool on_host = HostExecutionSpace<Exec>, on_cuda = CudaExecutionSpace<Exec>;
  constexpr int all_dots = on_host ? dots : on_cuda ? dots + subtractions : 2 * dots;
  constexpr int orthogonalize = on_host ? 2 * subtractions + iterations : on_cuda ? subtractions : 2 * subtractions;
  expect_values(1, {{"Fgmres::dots", all_dots},
                    {"Fgmres::orthogonalize", orthogonalize},
                    {"Fgmres::normalize", 2 * iterations},
                    {"Fgmres::update", iterations + 2},
                    {"Fgmres::first_direction", 2 * 2}});
}

TEST_F(TimersTest, leave_other_tools_their_callbacks) {
  {
    KokkosEvents const events;
    Timers::start();
    axpy(exec, box, 2.0, x, y);
    Timers::stop();
    fill(exec, box, 2.0, x);
    ASSERT_EQ(events.kernels().size(), 2u);
    EXPECT_EQ(events.kernels()[0].label, "Hyperplane::axpy");
    EXPECT_EQ(events.kernels()[1].label, "Hyperplane::fill");
  }
  EXPECT_EQ(entry("Hyperplane::axpy").count, 1);
  EXPECT_EQ(entry("Hyperplane::fill").count, 0);
}

/// A tool that passes on what it gets to those that were there before it.
struct LaterTool {
  inline static Kokkos::Tools::Experimental::EventSet s_before;
  inline static int s_kernels = 0;

  LaterTool() {
    s_before = Kokkos::Tools::Experimental::get_callbacks();
    auto callbacks = s_before;
    callbacks.begin_parallel_for = [](const char* label, std::uint32_t device, std::uint64_t* id) {
      ++s_kernels;
      s_before.begin_parallel_for(label, device, id);
    };
    Kokkos::Tools::Experimental::set_callbacks(callbacks);
  }
  ~LaterTool() { Kokkos::Tools::Experimental::set_callbacks(s_before); }
};

TEST_F(TimersTest, stay_under_tools_that_came_later) {
  Timers::start();
  {
    LaterTool const tool;
    Timers::stop();
    fill(exec, box, 2.0, x);
    EXPECT_EQ(LaterTool::s_kernels, 1);
    EXPECT_EQ(entry("Hyperplane::fill").count, 0);
    Timers::start();
    fill(exec, box, 2.0, x);
    EXPECT_EQ(LaterTool::s_kernels, 2);
    EXPECT_EQ(entry("Hyperplane::fill").count, 1);
  }
  Timers::stop();
  EXPECT_EQ(Kokkos::Tools::Experimental::get_callbacks().begin_parallel_for, nullptr);
}

TEST_F(TimersTest, report_to_a_file_or_name_one_that_cannot_be_written) {
  auto const path = ::testing::TempDir() + "timers.json";
  {
    TimerReport const report(path);
    fill(exec, box, 2.0, x);
  }
  EXPECT_FALSE(Timers::running());
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  std::remove(path.c_str());
  EXPECT_EQ(text.str(), Timers::json());
  EXPECT_THAT(text.str(), ::testing::HasSubstr("Hyperplane::fill"));
  try {
    TimerReport const report("/no/such/folder/timers.json");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("cannot write to '/no/such/folder/timers.json'"));
  }
  EXPECT_FALSE(Timers::running());
}

}  // namespace
}  // namespace hyperplane::test
