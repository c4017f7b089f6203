// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <hyperplane/jacobi/block_jacobi.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/sip_iteration/sip_iteration.hpp>
#include <optional>
#include <stdexcept>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// When solves end: tolerances, limits and monitors, and what they cost.
namespace hyperplane::test {
namespace {

template <class Exec>
class KrylovLimitsTest : public ::testing::Test {
 protected:
  using Vector = BlockVector<double, 1, Exec>;

  KrylovLimitsTest() { jacobi.factor(exec, a); }

  template <class Method, class... Limits>
  KrylovResult solve(const Method& method, const Limits&... limits) {
    Kokkos::deep_copy(exec, x.flat(), 0.0);
    return method.solve(exec, a, jacobi, b, x, limits...);
  }
  double norm_of_residual() {
    auto const found = reference.apply(to_host(exec, x));
    auto const rhs = to_host(exec, b);
    double sum = 0.0;
    for (std::size_t e = 0; e < rhs.size(); ++e) sum += (rhs[e] - found[e]) * (rhs[e] - found[e]);
    return std::sqrt(sum);
  }

  template <class Check>
  static void for_every_method(const Check& check) {
    check.template operator()<Richardson<Vector>>("Richardson");
    check.template operator()<BiCgStab<Vector>>("BiCgStab");
    check.template operator()<Fgmres<Vector>>("Fgmres");
    check.template operator()<Fgcrodr<Vector>>("Fgcrodr");
  }

  Exec exec{};
  Grid const grid = Grid(9, 6, 5);
  ReferenceStencil const reference = random_stencil(grid, 1);
  BlockStencil7<double, 1, Exec> a = to_device<double, 1, double>(exec, reference);
  Vector b = to_device<double, 1>(exec, grid, random_vector(reference.rows()));
  Vector x = Vector(exec, grid);
  BlockJacobi<double, 1, Exec> jacobi = BlockJacobi<double, 1, Exec>(exec, grid);
};
TYPED_TEST_SUITE(KrylovLimitsTest, ExecutionSpaces, SpaceNames);

TYPED_TEST(KrylovLimitsTest, the_larger_tolerance_decides) {
  this->for_every_method([&]<class Method>(const char* method) {
    auto const absolute = this->solve(Method(this->exec, this->grid, {.tolerance = 1e-12, .absolute_tolerance = 1e-2}));
    EXPECT_TRUE(absolute.converged()) << method;
    EXPECT_LE(absolute.residual_norm, 1e-2) << method;
    EXPECT_GT(absolute.history[absolute.history.size() - 2], 1e-2) << method;
    auto const relative =
        this->solve(Method(this->exec, this->grid, {.tolerance = 1e-3, .absolute_tolerance = 1e-200}));
    EXPECT_TRUE(relative.converged()) << method;
    EXPECT_LE(relative.residual_norm, 1e-3 * relative.rhs_norm) << method;
    EXPECT_GT(relative.history[relative.history.size() - 2], 1e-3 * relative.rhs_norm) << method;
    auto const enough = this->solve(Method(this->exec, this->grid, {.absolute_tolerance = 1e10}));
    EXPECT_TRUE(enough.converged()) << method;
    EXPECT_EQ(enough.iterations, 0) << method;
  });
}

TYPED_TEST(KrylovLimitsTest, a_solve_has_limits_of_its_own) {
  this->for_every_method([&]<class Method>(const char* name) {
    Method const method(this->exec, this->grid, {.tolerance = 0.0, .max_iterations = 5});
    auto limits = method.options().limits();
    EXPECT_EQ(limits.max_iterations, 5) << name;
    limits.max_iterations = 2;
    EXPECT_EQ(this->solve(method, limits).iterations, 2) << name;
    limits.tolerance = 1e-10;
    limits.max_iterations = 500;
    auto const longer = this->solve(method, limits);
    EXPECT_TRUE(longer.converged()) << name;
    EXPECT_GT(longer.iterations, 5) << name;
    EXPECT_EQ(longer.history.size(), static_cast<std::size_t>(longer.iterations) + 1) << name;
    EXPECT_EQ(this->solve(method).iterations, 5) << name;
    for (KrylovLimits const& bad :
         {KrylovLimits{.tolerance = -1.0}, KrylovLimits{.tolerance = std::nan("")},
          KrylovLimits{.absolute_tolerance = -1.0}, KrylovLimits{.absolute_tolerance = std::nan("")},
          KrylovLimits{.max_iterations = -1}, KrylovLimits{.max_iterations = 100'000'001}}) {
      EXPECT_THROW(this->solve(method, bad), Error) << name;
    }
    EXPECT_THROW(Method(this->exec, this->grid, {.absolute_tolerance = -1.0}), Error) << name;
  });
}

TYPED_TEST(KrylovLimitsTest, a_monitor_stops_the_iteration) {
  for (int const interval : {1, 4}) {
    this->for_every_method([&]<class Method>(const char* method) {
      int last = -1;
      KrylovOptions options{
          .tolerance = 0.0, .max_iterations = 50, .restart = 4, .check_interval = interval, .recycled = 0};
      options.monitor = [&](int iteration, double) {
        last = iteration;
        return iteration == 6 ? MonitorAction::stop : MonitorAction::proceed;
      };
      auto const result = this->solve(Method(this->exec, this->grid, options));
      EXPECT_EQ(result.outcome, KrylovOutcome::stopped) << method;
      EXPECT_STREQ(name(result.outcome), "stopped");
      EXPECT_EQ(last, 6) << method << ": not called after it has stopped";
      EXPECT_EQ(result.iterations, interval == 1 ? 6 : 8) << method;
      EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1) << method;
      EXPECT_NEAR(result.residual_norm / this->norm_of_residual(), 1.0, 1e-6) << method;
      // The iterate is that of as many iterations.
      auto const stopped = to_host(this->exec, this->x);
      options.monitor = nullptr;
      this->solve(Method(this->exec, this->grid, options),
                  KrylovLimits{.tolerance = 0.0, .max_iterations = result.iterations});
      EXPECT_TRUE(bitwise_equal(to_host(this->exec, this->x), stopped)) << method;
    });
  }
}

TYPED_TEST(KrylovLimitsTest, a_monitor_stops_before_the_first_iteration) {
  this->for_every_method([&]<class Method>(const char* method) {
    KrylovOptions options;
    options.monitor = [](int, double) { return MonitorAction::stop; };
    auto const result = this->solve(Method(this->exec, this->grid, options));
    EXPECT_EQ(result.outcome, KrylovOutcome::stopped) << method;
    EXPECT_EQ(result.iterations, 0) << method;
    EXPECT_EQ(result.residual_norm, result.rhs_norm) << method;
  });
}

TYPED_TEST(KrylovLimitsTest, what_has_converged_is_not_stopped) {
  this->for_every_method([&]<class Method>(const char* method) {
    KrylovOptions options;
    options.monitor = [](int, double norm) { return norm < 1e-9 ? MonitorAction::stop : MonitorAction::proceed; };
    auto const result = this->solve(Method(this->exec, this->grid, options), KrylovLimits{.absolute_tolerance = 1e-9});
    EXPECT_EQ(result.outcome, KrylovOutcome::converged) << method;
  });
}

TYPED_TEST(KrylovLimitsTest, a_monitor_that_solves_with_its_own_object_is_refused) {
  this->for_every_method([&]<class Method>(const char* name) {
    std::optional<Method> method, copy;
    int refused = 0;
    bool throws = false;
    KrylovOptions options;
    options.monitor = [&](int, double) {
      if (throws) throw std::runtime_error("enough");
      for (auto const* const object : {&*method, &*copy}) {
        try {
          object->solve(this->exec, this->a, this->jacobi, this->b,
                        typename TestFixture::Vector(this->exec, this->grid));
        } catch (const Error& error) {
          EXPECT_THAT(error.what(), ::testing::HasSubstr("monitor")) << name;
          ++refused;
        }
      }
    };
    method.emplace(this->exec, this->grid, options);
    copy.emplace(*method);
    auto const result = this->solve(*method);
    EXPECT_TRUE(result.converged()) << name;
    EXPECT_EQ(refused, 2 * (result.iterations + 1)) << name;
    // An exception passes, and leaves the object as it was.
    throws = true;
    EXPECT_THROW(this->solve(*method), std::runtime_error) << name;
    throws = false;
    EXPECT_TRUE(this->solve(*method).converged()) << name;
  });
}

TYPED_TEST(KrylovLimitsTest, monitors_are_functions_of_several_kinds) {
  EXPECT_FALSE(KrylovMonitor());
  EXPECT_FALSE(KrylovMonitor(nullptr));
  EXPECT_FALSE(KrylovMonitor(std::function<void(int, double)>()));
  EXPECT_FALSE(KrylovMonitor(static_cast<void (*)(int, double)>(nullptr)));
  KrylovMonitor const silent = [](int, double) {};
  EXPECT_TRUE(silent);
  EXPECT_EQ(silent(0, 0.0), MonitorAction::proceed);
  KrylovMonitor const stops =
      std::function<MonitorAction(int, double)>([](int, double) { return MonitorAction::stop; });
  EXPECT_EQ(stops(0, 0.0), MonitorAction::stop);
}

TYPED_TEST(KrylovLimitsTest, memory_does_not_grow_with_the_number_of_iterations) {
  this->for_every_method([&]<class Method>(const char* name) {
    auto const bytes = [&](int max_iterations, int check_interval) {
      KokkosEvents const events;
      Method const method(this->exec, this->grid, {.max_iterations = max_iterations, .check_interval = check_interval});
      return events.allocated_bytes();
    };
    EXPECT_EQ(bytes(100'000'000, 1), bytes(200, 1)) << name;
    // The norms between two looks, on the device and where the host looks.
    EXPECT_LE(bytes(100'000'000, 100'000'000), bytes(200, 1) + 2 * 8 * 4096) << name;
    // Long histories, and intervals beyond what memory there is for.
    auto const result = this->solve(Method(
        this->exec, this->grid, {.tolerance = 0.0, .max_iterations = 30, .restart = 1000, .check_interval = 100'000}));
    EXPECT_EQ(result.history.size(), static_cast<std::size_t>(result.iterations) + 1) << name;
  });
}

TYPED_TEST(KrylovLimitsTest, a_solve_allocates_nothing_whatever_its_limits) {
  this->for_every_method([&]<class Method>(const char* name) {
    Method const method(this->exec, this->grid, {.max_iterations = 2});
    Kokkos::deep_copy(this->exec, this->x.flat(), 0.0);
    this->exec.fence();
    KokkosEvents const events;
    EXPECT_TRUE(method.solve(this->exec, this->a, this->jacobi, this->b, this->x, {.max_iterations = 1000}).converged())
        << name;
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty()) << name;
  });
}

TYPED_TEST(KrylovLimitsTest, sip_iteration_has_the_same_limits_and_monitors) {
  using Vector = typename TestFixture::Vector;
  SipIteration<double, TypeParam> iteration(this->exec, this->grid, {.alpha = 0.5});
  iteration.factor(this->exec, this->a);
  Vector const x(this->exec, this->grid);
  auto const absolute =
      iteration.solve(this->exec, this->a, this->b, x, {.tolerance = 0.0, .absolute_tolerance = 1e-3});
  EXPECT_TRUE(absolute.converged());
  EXPECT_LE(absolute.residual_norm, 1e-3);

  Kokkos::deep_copy(this->exec, x.flat(), 0.0);
  int refused = 0;
  KrylovOptions options{.tolerance = 0.0, .check_interval = 2};
  options.monitor = [&](int step, double) {
    EXPECT_THROW(iteration.solve(this->exec, this->a, this->b, x, {}), Error);
    EXPECT_THROW(iteration.iterate(this->exec, this->a, this->b, x, 1), Error);
    EXPECT_THROW(iteration.factor(this->exec, this->a), Error);
    ++refused;
    return step == 4 ? MonitorAction::stop : MonitorAction::proceed;
  };
  auto const stopped = iteration.solve(this->exec, this->a, this->b, x, options);
  EXPECT_EQ(stopped.outcome, KrylovOutcome::stopped);
  EXPECT_EQ(stopped.iterations, 4);
  EXPECT_EQ(refused, 3);
}

}  // namespace
}  // namespace hyperplane::test
