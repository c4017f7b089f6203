// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/csr/row_order.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <hyperplane/ilu/block_jacobi_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>
#include <string>
#include <utility>

#include "support/csr_ilu_reference.hpp"
#include "support/csr_ilut_reference.hpp"
#include "support/csr_reference.hpp"
#include "support/csr_relaxation_reference.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/views.hpp"

// Every preconditioner of block CSR at every block size, on the host, where a size may have kernels of its own: a
// program of its own, which is compiled beside the others.
namespace hyperplane::test {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;

/// M x = b and M^T x = b, by the oracle and by the path that is chosen, where there are paths.
template <class Plan>
void check(const std::string& what, const ReferenceCsr& reference, const DenseMatrix& m,
           typename Plan::Options options = {}) {
  constexpr int n = Plan::block_size;
  Exec const exec;
  auto const a = to_device<double, n, double>(exec, reference);
  auto const b = random_vector(reference.rows() * n);
  auto const check_options = [&](const std::string& path) {
    SCOPED_TRACE(what + ", n = " + std::to_string(n) + path);
    Plan plan(exec, a, options);
    plan.factor(exec, a);
    EXPECT_TRUE(plan.status(exec).ok()) << plan.status(exec).message();
    auto const x = to_view<double>(exec, b), y = to_view<double>(exec, b);
    plan.solve(exec, x, x);
    EXPECT_TRUE(near(m * to_host(x), b, rounding<double>(200, n)));
    plan.solve_transposed(exec, y, y);
    EXPECT_TRUE(near(transposed_dense(m) * to_host(y), b, rounding<double>(200, n))) << "transposed";
  };
  if constexpr (requires { options.path; }) {
    options.transposed = true;
    for (auto const path : {CsrPath::portable, CsrPath::automatic}) {
      options.path = path;
      check_options(", path " + std::to_string(static_cast<int>(path)));
    }
  } else {
    check_options("");
  }
}

/// With blocks of a row in any order.
template <int n>
void check_size() {
  auto const a = shuffled(random_csr(9, n));
  double const w = 1.3;
  for (auto const order : {RowOrder::natural, RowOrder::rcm}) {
    SCOPED_TRACE("order " + std::to_string(static_cast<int>(order)));
    auto const rows = order_rows(order, a.offsets, a.columns);
    check<BlockIlu0Csr<double, n, Exec>>("BILU(0)", a, ReferenceCsrIlu(a, rows, 0).product(), {.order = order});
    check<BlockIlukCsr<double, n, Exec>>("ILU(1)", a, ReferenceCsrIlu(a, rows, 1).product(),
                                         {.fill = 1, .order = order});
    check<BlockIlutCsr<double, n, Exec>>("ILUT", a, ReferenceCsrIlut(a, rows, 0.01, 2).product(),
                                         {.drop_tolerance = 0.01, .row_entries = 2, .order = order});
    check<DiluCsr<double, n, Exec>>("DILU", a, ReferenceCsrRelaxation::dilu(a, rows), {.order = order});
    check<SsorCsr<double, n, Exec>>("SSOR", a, ReferenceCsrRelaxation::ssor(a, rows, w),
                                    {.relaxation = w, .order = order});
  }
  check<BlockJacobiCsr<double, n, Exec>>("block Jacobi", a, ReferenceCsrRelaxation::jacobi(a, w), {.relaxation = w});
}

TEST(CsrSizes, every_preconditioner_agrees_with_its_reference) {
  []<int... n>(std::integer_sequence<int, n...>) {
    (check_size<n + 1>(), ...);
  }(std::make_integer_sequence<int, max_block_size>{});
}

}  // namespace
}  // namespace hyperplane::test
