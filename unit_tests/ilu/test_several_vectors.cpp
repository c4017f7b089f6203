// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <hyperplane/csr/point_vector.hpp>
#include <hyperplane/csr/tall_product.hpp>
#include <hyperplane/ilu/block_iluk_csr.hpp>
#include <hyperplane/ilu/block_ilut_csr.hpp>
#include <hyperplane/ilu/block_jacobi_csr.hpp>
#include <hyperplane/ilu/dilu_csr.hpp>
#include <hyperplane/ilu/ssor_csr.hpp>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "support/csr_ilu_plan.hpp"
#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/instances.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/several_vectors.hpp"

// Products and solves of block CSR matrices with several vectors at a time.
namespace hyperplane::test {
namespace {

template <class Exec>
class SeveralVectors : public ::testing::Test {};
TYPED_TEST_SUITE(SeveralVectors, ExecutionSpaces, SpaceNames);

/// visit(std::integral_constant<int, count>) for numbers of vectors that fill registers and that do not.
template <class Visit>
void for_counts(const Visit& visit) {
  [&]<int... count>(std::integer_sequence<int, count...>) {
    (visit(std::integral_constant<int, count>()), ...);
  }(std::integer_sequence<int, 1, 2, 3, 4, 5, 7, 8>());
}

TYPED_TEST(SeveralVectors, are_set_and_got_one_by_one) {
  TypeParam const exec;
  constexpr int n = 2, count = 3;
  auto const given = random_vectors(count, 7 * n);
  PointVectors<double, n, count, TypeParam> const vectors(exec, 7);
  for (int j = 0; j < count; ++j)
    set_vector(exec, vectors, j, to_view<double>(exec, given[static_cast<std::size_t>(j)]));
  EXPECT_TRUE(bitwise_equal(to_host(vectors.flat()), to_host(to_vectors<double, n, count>(exec, given).flat())));
  PointVector<double, n, TypeParam> const one(exec, 7), wrong(exec, 8);
  get_vector(exec, vectors, 2, one);
  EXPECT_TRUE(bitwise_equal(to_host(one.flat()), given[2]));

  EXPECT_THAT(message_of([&] { set_vector(exec, vectors, 3, one); }), ::testing::HasSubstr("vector 3 is not one of 3"));
  EXPECT_THAT(message_of([&] { get_vector(exec, vectors, -1, one); }), ::testing::HasSubstr("vector -1"));
  EXPECT_THAT(message_of([&] { get_vector(exec, vectors, 0, wrong); }), ::testing::HasSubstr("16 rows, expected 14"));
  using Vectors = PointVectors<double, n, count, TypeParam>;
  EXPECT_THROW(Vectors(exec, -1), Error);
  EXPECT_THROW(Vectors(typename Vectors::Flat("values", 13)), Error);
}

/// Y = A X and R = B - A X, also of A^T.
template <class Scalar, int n, class Storage, int count, class Exec>
void compare_products(const Exec& exec, const ReferenceCsr& reference) {
  auto const a = to_device<Scalar, n, Storage>(exec, reference);
  auto const at = transposed(exec, a);
  auto const x = random_vectors(count, a.rows() * n, 20);
  auto const vectors = to_vectors<Scalar, n, count>(exec, x);
  auto const compare = [&](const char* what, const auto& matrix) {
    compare_with_single<Scalar, n, count>(
        exec, a.rows(), std::string("product with ") + what,
        [&](const auto& y) {
          PointVectors<Scalar, n, count, Exec> const copy(exec, a.rows());
          Kokkos::deep_copy(exec, copy.flat(), y.flat());
          apply(exec, matrix, copy, y);
        },
        [&](const auto& y) {
          Kokkos::View<Scalar*, typename Exec::memory_space> const copy("copy", y.size());
          Kokkos::deep_copy(exec, copy, y);
          apply(exec, matrix, copy, y);
        });
  };
  compare("A", a);
  compare("A^T", at);
  for (std::size_t j = 0; j < count; ++j) {
    auto const b = random_vectors(count, a.rows() * n, 40);
    auto const compare_residual = [&](const char* what, const auto& matrix) {
      auto const r = to_vectors<Scalar, n, count>(exec, b);
      residual(exec, matrix, r, vectors, r);
      auto const one = to_view<Scalar>(exec, b[j]);
      residual(exec, matrix, one, to_view<Scalar>(exec, x[j]), one);
      EXPECT_TRUE(same_as_single<Exec>(to_host(r)[j], to_host(one), rounding<Scalar>(200, n)))
          << what << ", n = " << n << ", vector " << j;
    };
    compare_residual("residual of A", a);
    compare_residual("residual of A^T", at);
  }
}

TYPED_TEST(SeveralVectors, are_multiplied_as_single_ones) {
  TypeParam const exec;
  for_counts([&](auto count) {
    for (int const rows : {1, 2, 13}) compare_products<double, 5, double, count>(exec, random_csr(rows, 5));
    compare_products<double, 1, double, count>(exec, random_csr(13, 1));
    compare_products<float, 3, float, count>(exec, random_csr(13, 3));
    compare_products<double, 4, float, count>(exec, random_csr(13, 4));
  });
  compare_products<double, 8, double, 4>(exec, random_csr(9, 8));
  compare_products<double, 11, double, 4>(exec, random_csr(9, 11));
  compare_products<double, 16, double, 8>(exec, random_csr(9, 16));
  compare_products<float, 9, float, 8>(exec, random_csr(9, 9));
}

ReferenceCsr csr_without_blocks() {
  ReferenceCsr a(2);
  a.end_row();
  a.add(0, identity(2));
  a.end_row();
  a.end_row();
  return a;
}

TYPED_TEST(SeveralVectors, are_multiplied_with_rows_without_blocks) {
  compare_products<double, 2, double, 3>(TypeParam(), csr_without_blocks());
}

/// Solves with M and M^T, in place or not.
template <class Plan, int count, class Exec>
void compare_solves(const Exec& exec, const ReferenceCsr& reference, const typename Plan::Options& options = {}) {
  constexpr int n = Plan::block_size;
  auto const a = to_device<double, n, typename Plan::storage_type>(exec, reference);
  Plan plan(exec, a, options);
  plan.factor(exec, a);
  compare_solves_with_single<count>(exec, plan, a.rows());
  auto const b = to_vectors<double, n, count>(exec, random_vectors(count, a.rows() * n)),
             x = to_vectors<double, n, count>(exec, random_vectors(count, a.rows() * n, 30));
  plan.solve(exec, b, x);
  plan.solve(exec, b, b);
  EXPECT_TRUE(bitwise_equal(to_host(b.flat()), to_host(x.flat())));
}

TYPED_TEST(SeveralVectors, are_solved_as_single_ones) {
  TypeParam const exec;
  for (auto const path : csr_paths_of<TypeParam>()) {
    BlockIlukCsrOptions const options{.fill = 1, .path = path, .order = RowOrder::rcm, .transposed = true};
    for_counts([&](auto count) {
      compare_solves<BlockIlukCsr<double, 5, TypeParam>, count>(exec, random_csr(30, 5), options);
      compare_solves<BlockIlukCsr<double, 3, TypeParam, float>, count>(exec, shuffled(random_csr(30, 3)), options);
    });
    compare_solves<BlockIlukCsr<double, 1, TypeParam>, 4>(exec, random_csr(1, 1), options);
    compare_solves<BlockIlukCsr<double, 8, TypeParam>, 4>(exec, random_csr(12, 8), options);
    compare_solves<BlockIlukCsr<double, 16, TypeParam>, 8>(exec, random_csr(8, 16), options);
  }
  compare_solves<BlockIlutCsr<double, 5, TypeParam>, 4>(exec, random_csr(30, 5), {.transposed = true});
}

TYPED_TEST(SeveralVectors, are_relaxed_as_single_ones) {
  TypeParam const exec;
  for_counts([&](auto count) {
    compare_solves<DiluCsr<double, 5, TypeParam>, count>(exec, random_csr(30, 5), {.transposed = true});
    compare_solves<BlockJacobiCsr<double, 5, TypeParam>, count>(exec, random_csr(30, 5));
  });
  for (auto const path : {CsrPath::automatic, CsrPath::portable}) {
    SsorCsrOptions const options{.relaxation = 1.2, .path = path, .order = RowOrder::rcm, .transposed = true};
    compare_solves<SsorCsr<double, 3, TypeParam, float>, 5>(exec, shuffled(random_csr(30, 3)), options);
    compare_solves<SsorCsr<double, 1, TypeParam>, 8>(exec, random_csr(1, 1), options);
    compare_solves<SsorCsr<double, 16, TypeParam>, 2>(exec, random_csr(6, 16), options);
  }
}

TYPED_TEST(SeveralVectors, do_not_disturb_one_another) {
  TypeParam const exec;
  constexpr int n = 3, count = 4;
  auto const a = to_device<double, n, double>(exec, random_csr(20, n));
  BlockIlu0Csr<double, n, TypeParam> ilu(exec, a, {.transposed = true});
  ilu.factor(exec, a);
  auto given = random_vectors(count, 20 * n);
  auto const clean = to_vectors<double, n, count>(exec, given);
  given[2].assign(given[2].size(), std::numeric_limits<double>::quiet_NaN());
  auto const spoilt = to_vectors<double, n, count>(exec, given);
  PointVectors<double, n, count, TypeParam> const of_clean(exec, 20), of_spoilt(exec, 20);
  auto const compare = [&] {
    auto const expected = to_host(of_clean), found = to_host(of_spoilt);
    for (std::size_t const j : {0, 1, 3}) EXPECT_TRUE(bitwise_equal(found[j], expected[j])) << j;
  };
  apply(exec, a, clean, of_clean);
  apply(exec, a, spoilt, of_spoilt);
  compare();
  ilu.solve(exec, clean, of_clean);
  ilu.solve(exec, spoilt, of_spoilt);
  compare();
  ilu.solve_transposed(exec, clean, of_clean);
  ilu.solve_transposed(exec, spoilt, of_spoilt);
  compare();
}

TYPED_TEST(SeveralVectors, allocate_nothing_and_fence_nothing) {
  auto const exec = OtherInstance<TypeParam>::make();
  auto const a = to_device<double, 2, double>(exec, random_csr(40, 2));
  auto const at = transposed(exec, a);
  PointVectors<double, 2, 4, TypeParam> const x(exec, 40), y(exec, 40);
  BlockIlu0Csr<double, 2, TypeParam> ilu(exec, a, {.transposed = true});
  ilu.factor(exec, a);
  if constexpr (!HostExecutionSpace<TypeParam>) {
    // The first solves with so many vectors may allocate.
    ilu.solve(exec, x, y);
    ilu.solve_transposed(exec, x, y);
  }
  exec.fence();
  KokkosEvents const events;
  apply(exec, a, x, y);
  residual(exec, at, y, x, y);
  ilu.solve(exec, x, y);
  ilu.solve_transposed(exec, x, y);
  EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
  EXPECT_THAT(events.fences(), ::testing::IsEmpty());
  for (auto const& kernel : events.kernels()) {
    EXPECT_EQ(kernel.device_and_instance, Kokkos::Tools::Experimental::device_id(exec)) << kernel.label;
  }
}

TYPED_TEST(SeveralVectors, of_other_sizes_are_refused) {
  TypeParam const exec;
  auto const a = to_device<double, 2, double>(exec, random_csr(5, 2));
  auto const at = transposed(exec, a);
  PointVectors<double, 2, 3, TypeParam> const x(exec, 5), wrong(exec, 6);
  using ::testing::HasSubstr;
  EXPECT_THAT(message_of([&] { apply(exec, a, wrong, x); }), HasSubstr("x has 36 rows, expected 30"));
  EXPECT_THROW(apply(exec, a, x, x), Error);
  EXPECT_THROW(residual(exec, at, wrong, x, wrong), Error);
  BlockIlu0Csr<double, 2, TypeParam> ilu(exec, a);
  EXPECT_THAT(message_of([&] { ilu.solve(exec, x, x); }), HasSubstr("called before factor"));
  ilu.factor(exec, a);
  EXPECT_THAT(message_of([&] { ilu.solve(exec, x, wrong); }), HasSubstr("x has 36 rows, expected 30"));
  EXPECT_THAT(message_of([&] { ilu.solve_transposed(exec, x, x); }), HasSubstr("without the option transposed"));
}

}  // namespace
}  // namespace hyperplane::test
