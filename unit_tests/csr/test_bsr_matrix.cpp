// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosSparse_BsrMatrix.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <hyperplane/csr/bsr_matrix.hpp>
#include <hyperplane/ilu/block_ilu0_csr.hpp>
#include <hyperplane/line/line_implicit_csr.hpp>

#include "support/csr_reference.hpp"
#include "support/matchers.hpp"

// With the matrix of Kokkos Kernels itself, on the default device. Its own products need its library; these do not.
namespace hyperplane::test {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Device = Kokkos::Device<Exec, typename Exec::memory_space>;
constexpr int n = 3;

template <class SizeType>
using Bsr = KokkosSparse::Experimental::BsrMatrix<double, int, Device, void, SizeType>;
template <class SizeType>
using Crs = KokkosSparse::CrsMatrix<double, int, Device, void, SizeType>;

/// What both matrices are made of.
template <class Matrix>
struct Arrays {
  typename Matrix::row_map_type::non_const_type offsets;
  typename Matrix::index_type::non_const_type columns;
  typename Matrix::values_type values;

  explicit Arrays(const ReferenceCsr& a)
      : offsets("offsets", a.offsets.size()),
        columns("columns", a.columns.size()),
        values("values", a.columns.size() * a.n * a.n) {
    auto const host_offsets = Kokkos::create_mirror_view(offsets);
    auto const host_columns = Kokkos::create_mirror_view(columns);
    auto const host_values = Kokkos::create_mirror_view(values);
    std::copy(a.offsets.begin(), a.offsets.end(), host_offsets.data());
    std::copy(a.columns.begin(), a.columns.end(), host_columns.data());
    auto* entry = host_values.data();
    for (auto const& block : a.blocks) entry = std::copy(block.entries.begin(), block.entries.end(), entry);
    Kokkos::deep_copy(offsets, host_offsets);
    Kokkos::deep_copy(columns, host_columns);
    Kokkos::deep_copy(values, host_values);
  }
};

template <class SizeType>
Bsr<SizeType> make_bsr(const ReferenceCsr& a) {
  Arrays<Bsr<SizeType>> const of(a);
  return Bsr<SizeType>("A", a.rows(), a.rows(), a.columns.size(), of.values, of.offsets, of.columns, n);
}

template <class SizeType>
Crs<SizeType> make_crs(const ReferenceCsr& a) {
  Arrays<Crs<SizeType>> const of(a);
  return Crs<SizeType>("A", a.rows(), a.rows(), a.columns.size(), of.values, of.offsets, of.columns);
}

/// BILU(0) of a wrapped matrix, and solves with M and M^T, have the bits of those of the library's own matrix.
template <int block_size, class Wrapped>
void compare_factors(const Wrapped& wrapped, const ReferenceCsr& reference) {
  Exec const exec;
  auto const own = to_device<double, block_size, double>(exec, reference);
  BlockIlu0Csr<double, block_size, Exec, double, typename Wrapped::offset_type> of_wrapped(exec, wrapped,
                                                                                           {.transposed = true});
  BlockIlu0Csr<double, block_size, Exec> of_own(exec, own, {.transposed = true});
  of_wrapped.factor(exec, wrapped);
  of_own.factor(exec, own);
  EXPECT_TRUE(of_wrapped.status(exec).ok()) << of_wrapped.status(exec).message();
  auto const b = random_vector(std::int64_t{reference.rows()} * block_size);
  auto const x = to_view<double>(exec, b), y = to_view<double>(exec, b);
  of_wrapped.solve(exec, x, x);
  of_own.solve(exec, y, y);
  EXPECT_TRUE(bitwise_equal(to_host(x), to_host(y)));
  of_wrapped.solve_transposed(exec, x, x);
  of_own.solve_transposed(exec, y, y);
  EXPECT_TRUE(bitwise_equal(to_host(x), to_host(y)));
}

template <class SizeType>
void check_products() {
  Exec const exec;
  auto const reference = random_csr(23, n);
  auto const bsr = make_bsr<SizeType>(reference);
  auto const a = wrap_bsr_matrix<n>(bsr);
  EXPECT_EQ(a.values().data(), bsr.values.data()) << "nothing is copied";
  EXPECT_EQ(a.columns().data(), bsr.graph.entries.data());

  auto const x = random_vector(23 * n);
  auto const dx = to_view<double>(exec, x);
  auto const y = to_view<double>(exec, std::vector<double>(x.size(), 0.0));
  apply(exec, a, dx, y);
  EXPECT_TRUE(near(to_host(y), reference.dense() * x, rounding<double>(20, n)));
}

TEST(BsrMatrix, is_shared_whatever_its_offsets_are) {
  check_products<int>();
  check_products<std::size_t>();
}

TEST(BsrMatrix, is_factored_whatever_its_offsets_are) {
  auto const reference = random_csr(23, n);
  compare_factors<n>(wrap_bsr_matrix<n>(make_bsr<int>(reference)), reference);
  compare_factors<n>(wrap_bsr_matrix<n>(make_bsr<std::size_t>(reference)), reference);
}

TEST(BsrMatrix, has_lines) {
  Exec const exec;
  auto const reference = random_csr(23, n);
  auto const a = wrap_bsr_matrix<n>(make_bsr<int>(reference));
  auto const lines = LineSet::lists(23, {0, 6}, {4, 5, 6, 7, 8, 9});
  LineImplicitCsr<double, n, Exec, double, int> wrapped(exec, a, lines, {.sweeps = 2});
  wrapped.factor(exec, a);
  auto const own_matrix = to_device<double, n, double>(exec, reference);
  LineImplicitCsr<double, n, Exec> own(exec, own_matrix, lines, {.sweeps = 2});
  own.factor(exec, own_matrix);
  auto const b = random_vector(23 * n);
  auto const x = to_view<double>(exec, b), y = to_view<double>(exec, b);
  wrapped.solve(exec, x, x);
  own.solve(exec, y, y);
  EXPECT_TRUE(bitwise_equal(to_host(x), to_host(y)));
}

TEST(CrsMatrix, is_shared) {
  Exec const exec;
  auto const reference = random_csr(23, 1);
  auto const crs = make_crs<int>(reference);
  auto const a = wrap_crs_matrix(crs);
  EXPECT_EQ(a.values().data(), crs.values.data()) << "nothing is copied";
  auto const x = random_vector(23);
  auto const dx = to_view<double>(exec, x), y = to_view<double>(exec, std::vector<double>(x.size(), 0.0));
  apply(exec, a, dx, y);
  EXPECT_TRUE(near(to_host(y), reference.dense() * x, rounding<double>(20, 1)));
}

TEST(CrsMatrix, is_factored_whatever_its_offsets_are) {
  auto const reference = random_csr(23, 1);
  compare_factors<1>(wrap_crs_matrix(make_crs<int>(reference)), reference);
  compare_factors<1>(wrap_crs_matrix(make_crs<std::size_t>(reference)), reference);
}

TEST(BsrMatrix, of_another_block_size_is_refused) {
  EXPECT_THROW(wrap_bsr_matrix<n + 1>(make_bsr<int>(random_csr(5, n))), Error);
}

}  // namespace
}  // namespace hyperplane::test
