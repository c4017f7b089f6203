// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <hyperplane/array/reductions.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/launch.hpp>
#include <hyperplane/csr/narrow.hpp>
#include <hyperplane/csr/tall_product.hpp>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/narrowed_matrix.hpp>
#include <hyperplane/krylov/simultaneous_bicgstab.hpp>
#include <hyperplane/krylov/simultaneous_fgmres.hpp>
#include <hyperplane/line/line_implicit.hpp>
#include <hyperplane/sip/sip.hpp>
#include <hyperplane/ssor/ssor.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/narrow.hpp>
#include <hyperplane/swept/heat.hpp>
#include <hyperplane/swept/swept_rule.hpp>
#include <mutex>
#include <set>
#include <thread>

#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/least_team.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/several_vectors.hpp"
#include "support/transfer.hpp"

// Small work is done by the calling thread alone, which nobody sees but for the time that it takes.
namespace hyperplane::test {
namespace {

#ifdef KOKKOS_ENABLE_OPENMP
using Exec = Kokkos::OpenMP;

/// The threads that work on a range whose indices move so many bytes each.
std::set<std::thread::id> threads_of(const Exec& exec, double bytes) {
  std::mutex mutex;
  std::set<std::thread::id> found;
  detail::launch("threads", detail::IndexRange<Exec>(exec, 0, 1000), bytes, [&](std::size_t) {
    std::lock_guard const lock(mutex);
    found.insert(std::this_thread::get_id());
  });
  return found;
}

TEST(SmallWork, is_done_by_the_calling_thread_and_large_work_by_all) {
  LeastTeam const usual(usual_teams);
  Exec const exec;
  EXPECT_THAT(threads_of(exec, 8), ::testing::ElementsAre(std::this_thread::get_id()));
  // So much that it is never left to one thread beside other processes.
  double const large = 1e6;
  EXPECT_EQ(threads_of(exec, large).size(), static_cast<std::size_t>(detail::concurrency_of(exec)));
  EXPECT_THAT(threads_of(Exec(1), large), ::testing::ElementsAre(std::this_thread::get_id()));
}

TEST(Concurrency, is_that_of_the_instance) {
  for (int const threads : {1, 2, 3}) EXPECT_EQ(detail::concurrency_of(Exec(threads)), threads);
}

TEST(SmallWork, runs_every_index_once) {
  for (double const least : {always_teams, never_teams}) {
    LeastTeam const team(least);
    for (int const size : {0, 1, 2, 3, 5, 1000}) {
      std::vector<int> runs(size + 2);
      detail::launch("runs", detail::IndexRange<Exec>(Exec(), 1, 1 + size), 8, [&](std::size_t e) { ++runs[e]; });
      for (int e = 0; e < size + 2; ++e) EXPECT_EQ(runs[e], e > 0 && e <= size ? 1 : 0) << e << " of " << size;
    }
  }
}

TEST(SmallWork, is_seen_by_tools) {
  Exec const exec(2);
  for (double const least : {always_teams, never_teams}) {
    LeastTeam const team(least);
    KokkosEvents const events;
    detail::launch("small", detail::IndexRange<Exec>(exec, 0, 10), 8, [](std::size_t) {});
    ASSERT_EQ(events.kernels().size(), 1u);
    EXPECT_EQ(events.kernels()[0].label, "small");
    EXPECT_EQ(events.kernels()[0].device_and_instance, Kokkos::Tools::Experimental::device_id(exec));
    EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  }
}

TEST(SmallWork, waits_for_what_another_thread_has_launched_on_the_instance) {
  LeastTeam const never(never_teams);
  BusyDefaultInstance<Exec> const busy(std::chrono::milliseconds(50));
  detail::launch("small", detail::IndexRange<Exec>(Exec(), 0, 10), 8, [](std::size_t) {});
  EXPECT_FALSE(busy.still_busy());
}

/// The bits of `solve(exec)`, done by teams and by the calling thread alone.
template <class Solve>
void expect_same_bits(const char* what, const Solve& solve) {
  auto const with = [&](double least) {
    LeastTeam const team(least);
    return solve(Exec(3));
  };
  EXPECT_TRUE(bitwise_equal(with(never_teams), with(always_teams))) << what;
}

template <int n>
class System {
 public:
  using Vector = BlockVector<double, n, Exec>;

  explicit System(const Grid& grid)
      : m_grid(grid),
        m_a(to_device<double, n, double>(Exec(), random_stencil(grid, n))),
        m_b(to_device<double, n>(Exec(), grid, random_vector(grid.size() * n))) {}

  template <class Plan, class... Options>
  void expect_same(const char* what, const Options&... options) const {
    expect_same_bits(what, [&](const Exec& exec) {
      Plan plan(exec, m_grid, options...);
      plan.factor(exec, m_a);
      Vector const x(exec, m_grid);
      plan.solve(exec, m_b, x);
      return to_host(exec, x);
    });
  }

  template <class Method>
  void expect_same_method(const char* what) const {
    expect_same_method<Method>(what, m_a);
  }
  template <class Method, class Matrix>
  void expect_same_method(const char* what, const Matrix& a) const {
    expect_same_bits(what, [&](const Exec& exec) {
      BlockIlu0<double, n, Exec> ilu(exec, m_grid);
      ilu.factor(exec, m_a);
      Vector const x(exec, m_grid);
      EXPECT_TRUE(Method(exec, m_grid, KrylovOptions{.tolerance = 1e-9}).solve(exec, a, ilu, m_b, x).converged());
      return to_host(exec, x);
    });
  }

  void expect_same_everywhere() const {
    expect_same<BlockIlu0<double, n, Exec>>("BlockIlu0");
    expect_same<BlockIlu0<double, n, Exec>>("BlockIlu0, portable", BlockIlu0Options{.path = SweepPath::portable});
    expect_same<Ssor<double, n, Exec>>("Ssor");
    expect_same<BlockJacobi<double, n, Exec>>("BlockJacobi");
    expect_same<LineImplicit<double, n, Exec>>("LineImplicit");
    expect_same_method<BiCgStab<Vector>>("BiCgStab");
    expect_same_method<BiCgStab<Vector>>("BiCgStab with a copy in float",
                                         NarrowedMatrix(m_a, narrowed<float>(Exec(), m_a)));
    expect_same_method<Fgmres<Vector>>("Fgmres");
    expect_same_method<Fgcrodr<Vector>>("Fgcrodr");
    expect_same_bits("residual", [&](const Exec& exec) {
      Vector const r(exec, m_grid);
      residual(exec, m_a, m_b, m_b, r);
      return to_host(exec, r);
    });
  }

 private:
  Grid m_grid;
  BlockStencil7<double, n, Exec> m_a;
  Vector m_b;
};

TEST(SmallWork, has_the_bits_of_a_team) {
  System<1> const scalar(Grid(75, 20, 3));
  scalar.expect_same_everywhere();
  scalar.expect_same<Sip<double, Exec>>("Sip");
  System<2>(Grid(11, 19, 5)).expect_same_everywhere();
}

TEST(SmallWork, of_several_right_hand_sides_has_the_bits_of_a_team) {
  constexpr int n = 3, count = 4, rows = 301;
  using Vectors = PointVectors<double, n, count, Exec>;
  auto const a = to_device<double, n, double>(Exec(), random_csr(rows, n));
  auto const b = to_vectors<double, n, count>(Exec(), random_vectors(count, rows * n));
  auto const check = [&]<class Method>(const char* what, const auto& matrix) {
    expect_same_bits(what, [&](const Exec& exec) {
      BlockIlu0Csr<double, n, Exec> ilu(exec, a);
      ilu.factor(exec, a);
      Vectors const x(exec, rows);
      for (auto const& result : Method(exec, rows, {.tolerance = 1e-9}).solve(exec, matrix, ilu, b, x)) {
        EXPECT_TRUE(result.converged()) << result.message();
      }
      return to_host(x.flat());
    });
  };
  NarrowedMatrix const narrow(a, narrowed<float>(Exec(), a));
  check.operator()<SimultaneousBiCgStab<Vectors>>("SimultaneousBiCgStab", a);
  check.operator()<SimultaneousBiCgStab<Vectors>>("SimultaneousBiCgStab with a copy in float", narrow);
  check.operator()<SimultaneousFgmres<Vectors>>("SimultaneousFgmres", a);
}

TEST(SmallWork, of_the_swept_rule_has_the_bits_of_a_team) {
  for (auto const variant : {SweptVariant::automatic, SweptVariant::shared, SweptVariant::classic}) {
    expect_same_bits(name(variant), [&](const Exec& exec) {
      std::int64_t const points = 777;
      SweptRule<HeatEquation<double>, Exec> rule(exec, {0.25}, points, {.variant = variant});
      SweptLine<HeatEquation<double>, Exec> const u("u", points, 1);
      for (std::int64_t i = 0; i < points; ++i) u(i, 0) = static_cast<double>(i * i % 101);
      rule.advance(exec, u, 50);
      return std::vector<double>(u.data(), u.data() + points);
    });
  }
}

#else

TEST(SmallWork, needs_openmp) { GTEST_SKIP() << "this Kokkos has no OpenMP"; }

#endif

}  // namespace
}  // namespace hyperplane::test
