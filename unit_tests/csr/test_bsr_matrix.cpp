// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <KokkosSparse_BsrMatrix.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <hyperplane/csr/bsr_matrix.hpp>
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
Bsr<SizeType> make_bsr(const ReferenceCsr& a) {
  typename Bsr<SizeType>::row_map_type::non_const_type const offsets("offsets", a.offsets.size());
  typename Bsr<SizeType>::index_type::non_const_type const columns("columns", a.columns.size());
  typename Bsr<SizeType>::values_type const values("values", a.columns.size() * n * n);
  auto const host_offsets = Kokkos::create_mirror_view(offsets);
  auto const host_columns = Kokkos::create_mirror_view(columns);
  auto const host_values = Kokkos::create_mirror_view(values);
  for (std::size_t row = 0; row < a.offsets.size(); ++row) host_offsets(row) = static_cast<SizeType>(a.offsets[row]);
  std::size_t at = 0;
  for (std::size_t block = 0; block < a.columns.size(); ++block) {
    host_columns(block) = a.columns[block];
    for (double const entry : a.blocks[block].entries) host_values(at++) = entry;
  }
  Kokkos::deep_copy(offsets, host_offsets);
  Kokkos::deep_copy(columns, host_columns);
  Kokkos::deep_copy(values, host_values);
  return Bsr<SizeType>("A", a.rows(), a.rows(), a.columns.size(), values, offsets, columns, n);
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
  using Crs = KokkosSparse::CrsMatrix<double, int, Device, void, int>;
  auto const crs = [&] {
    typename Crs::row_map_type::non_const_type const offsets("offsets", reference.offsets.size());
    typename Crs::index_type::non_const_type const columns("columns", reference.columns.size());
    typename Crs::values_type const values("values", reference.columns.size());
    auto const host_offsets = Kokkos::create_mirror_view(offsets);
    auto const host_columns = Kokkos::create_mirror_view(columns);
    auto const host_values = Kokkos::create_mirror_view(values);
    for (std::size_t row = 0; row < reference.offsets.size(); ++row) {
      host_offsets(row) = static_cast<int>(reference.offsets[row]);
    }
    for (std::size_t e = 0; e < reference.columns.size(); ++e) {
      host_columns(e) = reference.columns[e];
      host_values(e) = reference.blocks[e](0, 0);
    }
    Kokkos::deep_copy(offsets, host_offsets);
    Kokkos::deep_copy(columns, host_columns);
    Kokkos::deep_copy(values, host_values);
    return Crs("A", 23, 23, reference.columns.size(), values, offsets, columns);
  }();
  auto const a = wrap_crs_matrix(crs);
  EXPECT_EQ(a.values().data(), crs.values.data()) << "nothing is copied";
  auto const x = random_vector(23);
  auto const dx = to_view<double>(exec, x), y = to_view<double>(exec, std::vector<double>(x.size(), 0.0));
  apply(exec, a, dx, y);
  EXPECT_TRUE(near(to_host(y), reference.dense() * x, rounding<double>(20, 1)));
}

TEST(BsrMatrix, of_another_block_size_is_refused) {
  EXPECT_THROW(wrap_bsr_matrix<n + 1>(make_bsr<int>(random_csr(5, n))), Error);
}

}  // namespace
}  // namespace hyperplane::test
