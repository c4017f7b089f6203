// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/csr/transposed_block_csr.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/krylov/bicgstab.hpp>
#include <hyperplane/krylov/fgmres.hpp>
#include <hyperplane/krylov/transposed.hpp>
#include <utility>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_ilu_reference.hpp"
#include "support/csr_reference.hpp"
#include "support/csr_relaxation_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/serial_reference.hpp"

// Products with A^T and solves with M^T of block CSR matrices.
namespace hyperplane::test {
namespace {

template <class Exec>
class BlockCsrTransposed : public ::testing::Test {};
TYPED_TEST_SUITE(BlockCsrTransposed, ExecutionSpaces, SpaceNames);

template <class Scalar, int n, class Storage, class Exec>
void compare_products(const Exec& exec, const ReferenceCsr& reference) {
  auto const matrix = to_device<Scalar, n, Storage>(exec, reference);
  auto const a = transposed(exec, matrix);
  auto const size = std::int64_t{reference.rows()} * n;
  auto const x = random_vector(size, 1), b = random_vector(size, 2);
  auto const product = transposed_dense(reference.dense()) * x;
  auto const dx = to_view<Scalar>(exec, x), db = to_view<Scalar>(exec, b), y = to_view<Scalar>(exec, b);
  apply(exec, a, dx, y);
  EXPECT_TRUE(near(to_host(y), product, rounding<Storage>(20, n))) << n;
  residual(exec, a, db, dx, db);
  auto expected = b;
  for (std::size_t r = 0; r < b.size(); ++r) expected[r] -= product[r];
  EXPECT_TRUE(near(to_host(db), expected, rounding<Storage>(20, n))) << n;
  // By the names of grids.
  auto const z = to_view<Scalar>(exec, b), r = to_view<Scalar>(exec, b);
  apply_transposed(exec, matrix, a.lists(), dx, z);
  EXPECT_TRUE(bitwise_equal(to_host(z), to_host(y))) << n;
  residual_transposed(exec, matrix, a.lists(), r, dx, r);
  EXPECT_TRUE(bitwise_equal(to_host(r), to_host(db))) << n;
}

template <class Exec, int... n_minus_1>
void compare_products_of_all_sizes(const Exec& exec, int rows, std::integer_sequence<int, n_minus_1...>) {
  (compare_products<double, n_minus_1 + 1, double>(exec, random_csr(rows, n_minus_1 + 1)), ...);
}

TYPED_TEST(BlockCsrTransposed, multiplies_blocks_of_all_sizes) {
  TypeParam const exec;
  constexpr std::make_integer_sequence<int, max_block_size> sizes;
  for (int const rows : {1, 2, 9}) compare_products_of_all_sizes(exec, rows, sizes);
  compare_products<double, 5, float>(exec, random_csr(20, 5));
  compare_products<float, 3, float>(exec, random_csr(20, 3));
  ReferenceCsr sparse(2);
  sparse.end_row();
  sparse.add(0, identity(2));
  sparse.end_row();
  sparse.end_row();
  compare_products<double, 2, double>(exec, sparse);
}

TYPED_TEST(BlockCsrTransposed, refuses_vectors_of_other_sizes_and_columns_that_are_no_rows) {
  TypeParam const exec;
  auto const a = to_device<double, 2, double>(exec, random_csr(5, 2));
  auto const at = transposed(exec, a);
  auto const x = to_view<double>(exec, random_vector(10)), wrong = to_view<double>(exec, random_vector(11));
  EXPECT_THROW(apply(exec, at, wrong, x), Error);
  EXPECT_THROW(apply(exec, at, x, x), Error);
  EXPECT_THROW(residual(exec, at, wrong, x, wrong), Error);
  auto const other = to_device<double, 2, double>(exec, random_csr(5, 2));
  EXPECT_THAT(message_of([&] { apply_transposed(exec, other, at.lists(), x, wrong); }),
              ::testing::HasSubstr("the lists are of other arrays"));
  using Csr = BlockCsr<double, 2, TypeParam>;
  Csr const right(exec, {0, 1, 2}, {0, 1});
  Csr const shared(right.offsets(), to_view<int>(exec, {0, 7}), right.values());
  EXPECT_THAT(message_of([&] { transposed(exec, shared); }),
              ::testing::HasSubstr("row 1 has column 7, expected 0 to 1"));
}

/// M^-T b, checked by M^T of the reference.
template <int n, class Storage = double, class Exec>
void compare_solves(const Exec& exec, const ReferenceCsr& reference, const BlockIlukCsrOptions& options) {
  auto const a = to_device<double, n, Storage>(exec, reference);
  auto const order = order_rows(options.order, reference.offsets, reference.columns);
  auto const m = transposed_dense(ReferenceCsrIlu(reference, order, options.fill).product());
  auto const b = random_vector(std::int64_t{reference.rows()} * n);
  BlockIlukCsr<double, n, Exec, Storage> ilu(exec, a, options);
  ilu.factor(exec, a);
  auto const x = to_view<double>(exec, b), y = to_view<double>(exec, b), z = to_view<double>(exec, b);
  ilu.solve_transposed(exec, x, x);
  EXPECT_TRUE(near(m * to_host(x), b, rounding<Storage>(200, n)))
      << n << ", fill " << options.fill << ", order " << static_cast<int>(options.order);
  ilu.forward_transposed(exec, y, y);
  ilu.backward_transposed(exec, y, z);
  EXPECT_TRUE(bitwise_equal(to_host(z), to_host(x)));
}

TYPED_TEST(BlockCsrTransposed, solves_with_the_transposed_factors) {
  TypeParam const exec;
  for (auto const path : csr_paths_of<TypeParam>()) {
    for (auto const order : {RowOrder::natural, RowOrder::rcm, RowOrder::colours}) {
      for (int const fill : {0, 2}) {
        BlockIlukCsrOptions const options{.fill = fill, .path = path, .order = order, .transposed = true};
        compare_solves<1>(exec, random_csr(40, 1), options);
        compare_solves<3>(exec, shuffled(random_csr(30, 3)), options);
      }
    }
    BlockIlukCsrOptions const options{.fill = 1, .path = path, .transposed = true};
    compare_solves<5>(exec, random_csr(1, 5), options);
    compare_solves<5, float>(exec, random_csr(12, 5), options);
    compare_solves<8>(exec, random_csr(12, 8), options);
    compare_solves<16>(exec, random_csr(8, 16), options);
  }
}

TYPED_TEST(BlockCsrTransposed, is_the_adjoint_of_the_plain_solve) {
  TypeParam const exec;
  auto const stencil = random_stencil(Grid(9, 8, 7), 5);
  auto const a = to_device<double, 5, double>(exec, to_csr(stencil));
  BlockIlu0Csr<double, 5, TypeParam> ilu(exec, a, {.transposed = true});
  ilu.factor(exec, a);
  auto const u = random_vector(stencil.rows(), 1), v = random_vector(stencil.rows(), 2);
  auto const x = to_view<double>(exec, u), y = to_view<double>(exec, v);
  ilu.solve(exec, x, x);
  ilu.solve_transposed(exec, y, y);
  auto const mu = to_host(x), mv = to_host(y);
  double left = 0.0, right = 0.0, size = 0.0;
  for (std::size_t e = 0; e < u.size(); ++e) {
    left += mu[e] * v[e];
    right += u[e] * mv[e];
    size += std::abs(mu[e] * v[e]);
  }
  EXPECT_NEAR(left, right, 1e-13 * size);
}

TYPED_TEST(BlockCsrTransposed, allocates_nothing_and_fences_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  auto const a = to_device<double, 2, double>(exec, random_csr(40, 2));
  auto const at = transposed(exec, a);
  auto const x = to_view<double>(exec, random_vector(80)), y = to_view<double>(exec, random_vector(80));
  BlockIlu0Csr<double, 2, TypeParam> ilu(exec, a, {.transposed = true});
  ilu.factor(exec, a);
  exec.fence();
  KokkosEvents const events;
  ilu.solve_transposed(exec, x, y);
  apply(exec, at, x, y);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  EXPECT_THAT(events.copies(), ::testing::IsEmpty());
}

TYPED_TEST(BlockCsrTransposed, solves_want_the_option) {
  TypeParam const exec;
  auto const a = to_device<double, 2, double>(exec, random_csr(5, 2));
  auto const x = to_view<double>(exec, random_vector(10)), wrong = to_view<double>(exec, random_vector(11));
  BlockIlu0Csr<double, 2, TypeParam> without(exec, a), with(exec, a, {.transposed = true});
  EXPECT_THAT(message_of([&] { with.solve_transposed(exec, x, x); }), ::testing::HasSubstr("called before factor"));
  without.factor(exec, a);
  with.factor(exec, a);
  for (auto const& message : {message_of([&] { without.solve_transposed(exec, x, x); }),
                              message_of([&] { without.forward_transposed(exec, x, x); }),
                              message_of([&] { without.backward_transposed(exec, x, x); })}) {
    EXPECT_THAT(message, ::testing::HasSubstr("the plan was made without the option transposed"));
  }
  EXPECT_THROW(with.solve_transposed(exec, wrong, x), Error);
}

TYPED_TEST(BlockCsrTransposed, is_a_system_for_krylov_methods) {
  TypeParam const exec;
  constexpr int n = 3;
  auto const reference = random_csr(200, n);
  auto const a = to_device<double, n, double>(exec, reference);
  using Vector = PointVector<double, n, TypeParam>;
  auto const solution = random_vector(a.rows() * n);
  Vector const b(to_view<double>(exec, transposed_dense(reference.dense()) * solution)), x(exec, a.rows());
  BlockIlukCsr<double, n, TypeParam> ilu(exec, a, {.fill = 1, .transposed = true});
  ilu.factor(exec, a);
  auto const solve = [&](const auto& method) {
    Kokkos::deep_copy(exec, x.flat(), 0.0);
    auto const result = method.solve(exec, transposed(exec, a), transposed(ilu), b, x);
    EXPECT_TRUE(result.converged()) << name(result.outcome);
    EXPECT_TRUE(near(to_host(x.flat()), solution, 1e-6));
    EXPECT_LT(result.iterations, 10);
  };
  solve(Fgmres<Vector>(exec, a.rows(), {.tolerance = 1e-10, .max_iterations = 100}));
  solve(BiCgStab<Vector>(exec, a.rows(), {.tolerance = 1e-10, .max_iterations = 100}));
}

}  // namespace
}  // namespace hyperplane::test
