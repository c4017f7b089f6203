// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <cstddef>
#include <hyperplane/core/half.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>
#include <string>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/device_part.hpp"
#include "support/matchers.hpp"
#include "support/occupy.hpp"
#include "support/serial_reference.hpp"
#include "support/several_vectors.hpp"
#include "support/views.hpp"

// CsrPath::tickets, whose rows wait for one another: the bits of the portable path whatever else the device does, and
// no deadlock. A sweep that hangs fails by the time limit of the test.
namespace hyperplane::test {
namespace {

using Exec = Kokkos::Cuda;

/// A system, and what the portable path makes of it.
template <class Plan>
class TicketsCase {
  static constexpr int n = Plan::block_size;

 public:
  explicit TicketsCase(const ReferenceCsr& reference, const std::string& what,
                       const typename Plan::Options& options = {})
      : m_what(what),
        m_options(options),
        m_a(to_device<double, n, double>(Exec(), reference)),
        m_rhs(random_vector(m_a.rows() * n)) {
    m_options.transposed = true;
    m_expected = results(Exec(), CsrPath::portable, [] {});
  }

  /// Calls before() when all is allocated.
  template <class Before>
  void run(const Exec& exec, const std::string& where, const Before& before) const {
    EXPECT_TRUE(bitwise_equal(results(exec, CsrPath::tickets, before), m_expected))
        << m_what << ", n = " << n << ", " << where;
  }

 private:
  /// ILUT waits, and allocates.
  static constexpr bool factors_on_the_host = requires(const typename Plan::Options& o) { o.drop_tolerance; };

  /// Of several factorizations and solves with M and M^T behind one another. Nothing is waited for between them. ILUT
  /// has one factorization, before before().
  template <class Before>
  std::vector<double> results(const Exec& exec, CsrPath path, const Before& before) const {
    auto options = m_options;
    options.path = path;
    Plan plan(exec, m_a, options);
    auto const x = to_view<double>(exec, m_rhs);
    if (factors_on_the_host) plan.factor(exec, m_a);
    before();
    for (int repetition = 0; repetition < 5; ++repetition) {
      if (!factors_on_the_host) plan.factor(exec, m_a);
      plan.solve(exec, x, x);
      plan.solve_transposed(exec, x, x);
    }
    exec.fence();
    EXPECT_TRUE(plan.status(exec).ok()) << m_what << ", n = " << n << ", "
                                        << (path == CsrPath::tickets ? "tickets: " : "portable: ")
                                        << plan.status(exec).message();
    return to_host(x);
  }

  std::string m_what;
  typename Plan::Options m_options;
  BlockCsr<double, n, Exec> m_a;
  std::vector<double> m_rhs;
  std::vector<double> m_expected;
};

/// Each preconditioner in each order.
template <class Run>
void on_all_plans(const Run& run, const ReferenceCsr& reference) {
  constexpr int n = 3;
  for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
    auto const on = [&]<class Plan>(const char* plan, typename Plan::Options options) {
      options.order = order;
      run(TicketsCase<Plan>(reference, std::string(plan) + ", at random, by " + name(order), options));
    };
    on.template operator()<BlockIlu0Csr<double, n, Exec>>("BILU(0)", {});
    on.template operator()<BlockIlu0Csr<double, n, Exec, Half>>("BILU(0) in half", {});
    on.template operator()<BlockIlukCsr<double, n, Exec>>("BILU(1)", {.fill = 1});
    on.template operator()<BlockIlutCsr<double, n, Exec>>("ILUT", {});
    on.template operator()<DiluCsr<double, n, Exec>>("DILU", {});
    on.template operator()<DiluCsr<double, n, Exec, Half>>("DILU in half", {});
    on.template operator()<SsorCsr<double, n, Exec>>("SSOR", {.relaxation = 1.2});
  }
}

/// Wide levels, of which more thread blocks are started than a part of the device holds; many short ones; and rows that
/// wait for others far from them.
template <class Run>
void on_all_cases(const Run& run) {
  Grid const wide(40, 41, 42), narrow(2, 3, 300);
  run(TicketsCase<BlockIlu0Csr<double, 1, Exec>>(to_csr(random_stencil(wide, 1)), to_string(wide)));
  run(TicketsCase<BlockIlu0Csr<double, 5, Exec>>(to_csr(random_stencil(wide, 5)), to_string(wide)));
  run(TicketsCase<BlockIlu0Csr<double, 5, Exec>>(to_csr(random_stencil(narrow, 5)), to_string(narrow)));
  run(TicketsCase<DiluCsr<double, 5, Exec>>(to_csr(random_stencil(wide, 5)), "DILU, " + to_string(wide)));
  run(TicketsCase<DiluCsr<double, 5, Exec>>(to_csr(random_stencil(narrow, 5)), "DILU, " + to_string(narrow)));
  // By its natural order, about as many levels as rows: the portable path has a launch for each.
  on_all_plans(run, random_csr(1000, 3));
}

TEST(BlockIlu0CsrCuda, beside_a_kernel_that_fills_most_of_the_device) {
  auto const execs = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  on_all_cases([&](const auto& system) {
    system.run(execs[0], "beside another kernel", [&] { occupy_most_of_the_device(execs[1]); });
    execs[1].fence();
  });
}

TEST(BlockIlu0CsrCuda, on_a_part_of_the_device) {
  DevicePart const part(8);
  Exec const exec(part.stream());
  on_all_cases([&](const auto& system) { system.run(exec, "on 8 multiprocessors", [] {}); });
}

/// Solves of `count` vectors, with M and M^T in turn, and of each of them alone.
template <class Plan, int count>
void compare_several(const ReferenceCsr& reference, const char* what, const Exec& exec, const Exec& other,
                     RowOrder order = RowOrder::natural) {
  constexpr int n = Plan::block_size;
  auto const a = to_device<double, n, double>(Exec(), reference);
  Plan plan(exec, a, {.path = CsrPath::tickets, .order = order, .transposed = true});
  plan.factor(exec, a);
  auto const given = random_vectors(count, a.rows() * n);
  auto const several = to_vectors<double, n, count>(exec, given);
  std::vector<Kokkos::View<double*, Exec::memory_space>> single;
  for (auto const& one : given) single.push_back(to_view<double>(exec, one));
  auto const solve = [&](const auto& x) {
    plan.solve(exec, x, x);
    plan.solve_transposed(exec, x, x);
  };
  occupy_most_of_the_device(other);
  for (int repetition = 0; repetition < 3; ++repetition) {
    solve(several);
    for (auto const& x : single) solve(x);
  }
  exec.fence();
  other.fence();
  auto const found = to_host(several);
  for (std::size_t j = 0; j < count; ++j) {
    EXPECT_TRUE(bitwise_equal(found[j], to_host(single[j]))) << what << ", n = " << n << ", vector " << j;
  }
}

TEST(BlockIlu0CsrCuda, several_vectors_have_the_bits_of_single_ones_beside_another_kernel) {
  auto const execs = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  Grid const wide(20, 21, 22), narrow(2, 3, 100);
  auto const compare = [&]<class Plan, int count>(const ReferenceCsr& reference, const char* what) {
    compare_several<Plan, count>(reference, what, execs[0], execs[1]);
  };
  compare.template operator()<BlockIlu0Csr<double, 5, Exec>, 2>(to_csr(random_stencil(wide, 5)), "BILU(0)");
  compare.template operator()<BlockIlu0Csr<double, 5, Exec>, 8>(to_csr(random_stencil(narrow, 5)), "BILU(0)");
  compare.template operator()<BlockIlu0Csr<double, 3, Exec, Half>, 7>(random_csr(1000, 3), "BILU(0) in half");
  compare.template operator()<BlockIlu0Csr<double, 1, Exec>, 5>(random_csr(1000, 1), "BILU(0)");
  compare.template operator()<DiluCsr<double, 6, Exec>, 4>(random_csr(1000, 6), "DILU");
}

// Levels of 60000 rows, which sweeps have a launch for.
TEST(BlockIlu0CsrCuda, of_levels_that_fill_the_device) {
  Grid const grid(50, 50, 48);
  auto const reference = to_csr(random_stencil(grid, 3));
  auto const run = [&]<class Plan>(const char* what) {
    TicketsCase<Plan>(reference, what, {.order = RowOrder::colours}).run(Exec(), "alone", [] {});
  };
  run.template operator()<BlockIlu0Csr<double, 3, Exec>>("BILU(0) by colours");
  run.template operator()<BlockIlu0Csr<double, 3, Exec, Half>>("BILU(0) in half by colours");
  run.template operator()<SsorCsr<double, 3, Exec>>("SSOR by colours");
  auto const execs = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  compare_several<BlockIlu0Csr<double, 3, Exec>, 4>(reference, "BILU(0) by colours", execs[0], execs[1],
                                                    RowOrder::colours);
  compare_several<DiluCsr<double, 3, Exec>, 3>(reference, "DILU by colours", execs[0], execs[1], RowOrder::colours);
}

/// What a block of threads keeps of factors, and how many products it has at a time, depend on the block size.
template <int n>
void at_block_size() {
  auto const reference = random_csr(300, n);
  TicketsCase<BlockIlu0Csr<double, n, Exec>>(reference, "at random").run(Exec(), "alone", [] {});
  TicketsCase<DiluCsr<double, n, Exec>>(reference, "DILU, at random").run(Exec(), "alone", [] {});
}

TEST(BlockIlu0CsrCuda, of_block_sizes_at_which_kernels_change) {
  at_block_size<1>();
  at_block_size<2>();
  at_block_size<6>();
  at_block_size<8>();
  at_block_size<9>();
  at_block_size<15>();
  at_block_size<16>();
}

}  // namespace
}  // namespace hyperplane::test
