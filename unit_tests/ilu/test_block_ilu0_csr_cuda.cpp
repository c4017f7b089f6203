// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <string>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/device_part.hpp"
#include "support/matchers.hpp"
#include "support/occupy.hpp"
#include "support/serial_reference.hpp"
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
  explicit TicketsCase(const ReferenceCsr& reference, const std::string& what)
      : m_what(what), m_a(to_device<double, n, double>(Exec(), reference)), m_rhs(random_vector(m_a.rows() * n)) {
    m_expected = results(Exec(), CsrPath::portable, [] {});
  }

  /// Calls before() when all is allocated.
  template <class Before>
  void run(const Exec& exec, const std::string& where, const Before& before) const {
    EXPECT_TRUE(bitwise_equal(results(exec, CsrPath::tickets, before), m_expected))
        << m_what << ", n = " << n << ", " << where;
  }

 private:
  /// Of several factorizations and solves with M and M^T behind one another. Nothing is waited for between them.
  template <class Before>
  std::vector<double> results(const Exec& exec, CsrPath path, const Before& before) const {
    Plan plan(exec, m_a, {.path = path, .transposed = true});
    auto const x = to_view<double>(exec, m_rhs);
    before();
    for (int repetition = 0; repetition < 5; ++repetition) {
      plan.factor(exec, m_a);
      plan.solve(exec, x, x);
      plan.solve_transposed(exec, x, x);
    }
    exec.fence();
    return to_host(x);
  }

  std::string m_what;
  BlockCsr<double, n, Exec> m_a;
  std::vector<double> m_rhs;
  std::vector<double> m_expected;
};

/// Wide levels, of which more thread blocks are started than a part of the device holds; many short ones; and rows that
/// wait for others far from them.
template <class Run>
void on_all_cases(const Run& run) {
  Grid const wide(40, 41, 42), narrow(2, 3, 300);
  run(TicketsCase<BlockIlu0Csr<double, 1, Exec>>(to_csr(random_stencil(wide, 1)), to_string(wide)));
  run(TicketsCase<BlockIlu0Csr<double, 5, Exec>>(to_csr(random_stencil(wide, 5)), to_string(wide)));
  run(TicketsCase<BlockIlu0Csr<double, 5, Exec>>(to_csr(random_stencil(narrow, 5)), to_string(narrow)));
  run(TicketsCase<BlockIlu0Csr<double, 3, Exec>>(random_csr(3000, 3), "at random"));
  run(TicketsCase<DiluCsr<double, 5, Exec>>(to_csr(random_stencil(wide, 5)), "DILU, " + to_string(wide)));
  run(TicketsCase<DiluCsr<double, 5, Exec>>(to_csr(random_stencil(narrow, 5)), "DILU, " + to_string(narrow)));
  run(TicketsCase<DiluCsr<double, 3, Exec>>(random_csr(3000, 3), "DILU, at random"));
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
