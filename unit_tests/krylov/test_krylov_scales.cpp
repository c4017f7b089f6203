// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <hyperplane/ilu/block_ilu0.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/compressed_basis_fgmres.hpp>
#include <hyperplane/krylov/fgcrodr.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/identity.hpp>
#include <hyperplane/krylov/richardson.hpp>
#include <hyperplane/sip_iteration/sip_iteration.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// Right-hand sides that are zero, not finite, or of which squares overflow or underflow.
namespace hyperplane::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Another method: preconditioned by itself, and here with the face of the others.
template <class Vector>
class SipMethod {
 public:
  using Exec = typename Vector::execution_space;
  SipMethod(const Exec& exec, const Grid& grid, const KrylovOptions& options)
      : m_iteration(exec, grid), m_options(options) {}
  template <class Matrix, class Precond>
  KrylovResult solve(const Exec& exec, const Matrix& a, const Precond&, const Vector& b, const Vector& x) {
    m_iteration.factor(exec, a);
    return m_iteration.solve(exec, a, b, x, m_options);
  }

 private:
  SipIteration<double, Exec> m_iteration;
  KrylovOptions m_options;
};

template <class Exec>
class KrylovScales : public ::testing::Test {
 protected:
  using Vector = BlockVector<double, 1, Exec>;

  struct Solved {
    KrylovResult result;
    std::vector<double> x;
  };

  template <template <class> class Method, class Precond>
  Solved solve_with(const Precond& m, const std::vector<double>& rhs, const std::vector<double>& guess,
                    const KrylovOptions& options = {}) {
    auto const b = to_device<double, 1>(exec, reference.grid, rhs);
    auto const x = to_device<double, 1>(exec, reference.grid, guess);
    auto result = Method<Vector>(exec, reference.grid, options).solve(exec, a, m, b, x);
    return {std::move(result), to_host(exec, x)};
  }

  template <template <class> class Method>
  Solved solve_from(const std::vector<double>& guess, const std::vector<double>& rhs,
                    const KrylovOptions& options = {}) {
    BlockIlu0<double, 1, Exec> ilu(exec, reference.grid);
    ilu.factor(exec, a);
    return solve_with<Method>(ilu, rhs, guess, options);
  }
  template <template <class> class Method>
  Solved solve(const std::vector<double>& rhs, const KrylovOptions& options = {}) {
    return solve_from<Method>(zero(), rhs, options);
  }

  /// What is solved from now on.
  void take(const ReferenceStencil& matrix) {
    reference = matrix;
    a = to_device<double, 1, double>(exec, reference);
  }
  void take_scalar(double value) {
    ReferenceStencil matrix(Grid(1, 1, 1), 1);
    matrix.block(0, Direction::center)(0, 0) = value;
    take(matrix);
  }
  std::vector<double> zero() const { return std::vector<double>(reference.rows()); }

  template <class Check>
  static void for_every_method(const Check& check) {
    check.template operator()<Richardson>("Richardson");
    check.template operator()<BiCgStab>("BiCgStab");
    check.template operator()<Fgmres>("Fgmres");
    check.template operator()<CompressedBasisFgmres>("CompressedBasisFgmres");
    check.template operator()<Fgcrodr>("Fgcrodr");
    check.template operator()<SipMethod>("SipIteration");
  }

  Exec exec{};
  ReferenceStencil reference = random_stencil(Grid(9, 6, 5), 1);
  BlockStencil7<double, 1, Exec> a = to_device<double, 1, double>(exec, reference);
};
TYPED_TEST_SUITE(KrylovScales, ExecutionSpaces, SpaceNames);

std::vector<double> times(std::vector<double> values, double factor) {
  for (auto& value : values) value *= factor;
  return values;
}

TYPED_TEST(KrylovScales, one_equation_of_any_scale) {
  this->take_scalar(2.0);
  for (double const b : {1e200, 1e-200, -1e307, 3e-300, 1e-310, 1e155, 1e-170, 1e100, 1e-100}) {
    this->for_every_method([&]<template <class> class Method>(const char* method) {
      auto const [result, x] = this->template solve<Method>({b});
      EXPECT_TRUE(result.converged()) << method << ", b = " << b << ": " << result.message();
      double const rounding = std::max(1e-15 * std::abs(b), std::numeric_limits<double>::denorm_min());
      EXPECT_NEAR(x[0], 0.5 * b, rounding) << method << ", b = " << b;
      EXPECT_NEAR(result.rhs_norm / std::abs(b), 1.0, 1e-15) << method;
      EXPECT_NEAR(result.history.front() / std::abs(b), 1.0, 1e-15) << method;
      EXPECT_LE(result.residual_norm, 1e-8 * result.rhs_norm) << method;
    });
  }
}

TYPED_TEST(KrylovScales, a_power_of_two_changes_exponents_alone) {
  auto const rhs = random_vector(this->reference.rows());
  for (double const power : {0x1p+700, 0x1p-700, 0x1p+1000, 0x1p+400, 0x1p-350}) {
    this->for_every_method([&]<template <class> class Method>(const char* method) {
      auto const ordinary = this->template solve<Method>(rhs);
      auto const scaled = this->template solve<Method>(times(rhs, power));
      EXPECT_TRUE(ordinary.result.converged() && scaled.result.converged()) << method << ", " << power;
      EXPECT_EQ(scaled.result.iterations, ordinary.result.iterations) << method << ", " << power;
      EXPECT_TRUE(bitwise_equal(scaled.x, times(ordinary.x, power))) << method << ", " << power;
      ASSERT_EQ(scaled.result.history.size(), ordinary.result.history.size());
      for (std::size_t e = 0; e < scaled.result.history.size(); ++e) {
        EXPECT_DOUBLE_EQ(scaled.result.history[e], power * ordinary.result.history[e]) << method << ", " << power;
      }
    });
  }
}

TYPED_TEST(KrylovScales, a_guess_of_another_scale_than_the_right_hand_side) {
  this->take_scalar(2.0);
  for (double const guess : {1.0, 1e200}) {
    for (double const b : {1e-200, 1.0, 1e200}) {
      this->for_every_method([&]<template <class> class Method>(const char* method) {
        auto const [result, x] = this->template solve_from<Method>({guess}, {b});
        EXPECT_TRUE(result.converged()) << method << ", b = " << b << ", guess " << guess << ": " << result.message();
        EXPECT_NEAR(x[0] / b, 0.5, 1e-8) << method << ", b = " << b << ", guess " << guess;
      });
    }
  }
  // 2^-665 beside 1: what is left of the residual has a square of zero.
  this->for_every_method([&]<template <class> class Method>(const char* method) {
    auto const [result, x] = this->template solve_from<Method>({1.0}, {0x1p-665});
    EXPECT_TRUE(result.converged()) << method << ": " << result.message();
    EXPECT_EQ(x[0], 0x1p-666) << method;
  });
}

TYPED_TEST(KrylovScales, zero_has_the_solution_zero_at_once) {
  for (double const guess : {1.0, 1e-300, 1e300, not_a_number}) {
    this->for_every_method([&]<template <class> class Method>(const char* method) {
      int calls = 0;
      KrylovOptions options;
      options.monitor = [&](int iteration, double norm) {
        EXPECT_EQ(iteration, 0);
        EXPECT_EQ(norm, 0.0);
        ++calls;
      };
      auto const [result, x] =
          this->template solve_from<Method>(std::vector<double>(this->reference.rows(), guess), this->zero(), options);
      EXPECT_TRUE(result.converged()) << method << ", guess " << guess << ": " << result.message();
      EXPECT_EQ(result.iterations, 0) << method;
      EXPECT_EQ(result.residual_norm, 0.0) << method;
      EXPECT_THAT(result.history, ::testing::ElementsAre(0.0)) << method;
      EXPECT_EQ(calls, 1) << method;
      EXPECT_TRUE(bitwise_equal(x, this->zero())) << method << ", guess " << guess;
    });
  }
}

TYPED_TEST(KrylovScales, what_is_not_finite_is_a_breakdown_that_says_which_vector) {
  auto const healthy = random_vector(this->reference.rows());
  auto const expect = [](const KrylovResult& result, KrylovBreakdown breakdown, const std::string& where) {
    EXPECT_EQ(result.outcome, KrylovOutcome::breakdown) << where << ": " << result.message();
    EXPECT_EQ(result.breakdown, breakdown) << where << ": " << result.message();
    EXPECT_EQ(result.iterations, 0) << where;
    EXPECT_FALSE(std::isfinite(result.residual_norm)) << where;
  };
  for (double const bad : {infinity, -infinity, not_a_number}) {
    this->for_every_method([&]<template <class> class Method>(const char* method) {
      auto faulty = healthy;
      faulty[100] = bad;
      expect(this->template solve<Method>(faulty).result, KrylovBreakdown::right_hand_side, method);
      expect(this->template solve_from<Method>(faulty, healthy).result, KrylovBreakdown::initial_guess, method);
      auto const finite = this->reference;
      this->reference.block(100, Direction::center)(0, 0) = bad;
      this->take(this->reference);
      auto const result = this->template solve_from<Method>(healthy, healthy).result;
      expect(result, KrylovBreakdown::initial_residual, method);
      EXPECT_EQ(result.cause,
                "block center of point " + detail::to_text(this->reference.grid.point(100)) + " is not finite");
      EXPECT_THAT(result.message(), ::testing::HasSubstr("; block center of point")) << method;
      this->take(finite);
    });
  }
  // Finite values, but not their norm.
  this->for_every_method([&]<template <class> class Method>(const char* method) {
    std::vector<double> const largest(this->reference.rows(), std::numeric_limits<double>::max());
    expect(this->template solve<Method>(largest).result, KrylovBreakdown::right_hand_side, method);
  });
}

/// A value everywhere.
struct ConstantPreconditioner {
  double m_value;
  template <class Exec, class Vector>
  void solve(const Exec& exec, const Vector&, const Vector& z) const {
    Kokkos::deep_copy(exec, z.flat(), m_value);
  }
};

// Blocks that point out of the grid are ignored, or named: never the reason of a breakdown without a name.
TYPED_TEST(KrylovScales, a_block_that_points_out_of_the_grid_and_is_not_finite_is_ignored_or_named) {
  auto const rhs = random_vector(this->reference.rows());
  this->reference.block(0, Direction::west)(0, 0) = not_a_number;
  this->take(this->reference);
  this->for_every_method([&]<template <class> class Method>(const char* method) {
    auto const result = this->template solve<Method>(rhs).result;
    if (result.outcome == KrylovOutcome::breakdown) {
      EXPECT_EQ(result.cause, "block west of point (0, 0, 0), which points out of the grid, is not finite") << method;
    } else {
      EXPECT_TRUE(std::isfinite(result.residual_norm)) << method;
    }
  });
  // Factors of this matrix may be what a preconditioner fails by.
  auto const failed =
      this->template solve_with<BiCgStab>(ConstantPreconditioner{not_a_number}, rhs, this->zero()).result;
  EXPECT_EQ(failed.outcome, KrylovOutcome::breakdown);
  EXPECT_EQ(failed.cause, "block west of point (0, 0, 0), which points out of the grid, is not finite");
}

TYPED_TEST(KrylovScales, a_breakdown_later_on_says_what_it_is_due_to) {
  auto const rhs = random_vector(this->reference.rows());
  for (auto& blocks : this->reference.blocks) blocks[static_cast<int>(Direction::center)](0, 0) *= 1e4;
  this->take(this->reference);
  auto const breakdown = [&]<template <class> class Method>(double value, int check_interval) {
    auto const [result, x] = this->template solve_with<Method>(ConstantPreconditioner{value}, rhs, this->zero(),
                                                               {.check_interval = check_interval});
    EXPECT_EQ(result.outcome, KrylovOutcome::breakdown);
    return result.breakdown;
  };
  for (int const interval : {1, 5}) {
    EXPECT_EQ(breakdown.template operator()<BiCgStab>(not_a_number, interval), KrylovBreakdown::preconditioner);
    EXPECT_EQ(breakdown.template operator()<Fgmres>(not_a_number, interval), KrylovBreakdown::preconditioner);
    EXPECT_EQ(breakdown.template operator()<Fgcrodr>(not_a_number, interval), KrylovBreakdown::preconditioner);
    EXPECT_EQ(breakdown.template operator()<Richardson>(not_a_number, interval), KrylovBreakdown::residual);
    EXPECT_EQ(breakdown.template operator()<BiCgStab>(1e306, interval), KrylovBreakdown::product);
    EXPECT_EQ(breakdown.template operator()<Fgmres>(1e306, interval), KrylovBreakdown::product);
    EXPECT_EQ(breakdown.template operator()<Fgcrodr>(1e306, interval), KrylovBreakdown::product);
    EXPECT_EQ(breakdown.template operator()<BiCgStab>(0.0, interval), KrylovBreakdown::recursion);
    EXPECT_EQ(breakdown.template operator()<Fgmres>(0.0, interval), KrylovBreakdown::recursion);
    EXPECT_EQ(breakdown.template operator()<Fgcrodr>(0.0, interval), KrylovBreakdown::recursion);
  }
}

TYPED_TEST(KrylovScales, the_check_interval_does_not_matter_where_squares_overflow) {
  auto const rhs = times(random_vector(this->reference.rows()), 1e250);
  auto const check = [&]<template <class> class Method>() {
    auto const often = this->template solve<Method>(rhs);
    auto const rarely = this->template solve<Method>(rhs, {.check_interval = 7});
    EXPECT_EQ(often.result.iterations, rarely.result.iterations);
    EXPECT_TRUE(bitwise_equal(often.x, rarely.x));
    EXPECT_TRUE(bitwise_equal(often.result.history, rarely.result.history));
  };
  check.template operator()<Richardson>();
  check.template operator()<BiCgStab>();
  check.template operator()<Fgmres>();
  check.template operator()<Fgcrodr>();
}

}  // namespace
}  // namespace hyperplane::test
