// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <hyperplane/csr/narrow.hpp>
#include <hyperplane/csr/transposed_block_csr.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/csr_reference.hpp"
#include "support/execution_spaces.hpp"
#include "support/kokkos_events.hpp"
#include "support/matchers.hpp"
#include "support/message_of.hpp"
#include "support/views.hpp"

// Copies of a general matrix in float.
namespace hyperplane::test::narrow_csr {
namespace {

template <class Exec>
class NarrowCsr : public ::testing::Test {
 protected:
  template <class Matrix>
  static std::vector<double> values(const Matrix& a) {
    auto const host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), a.values());
    return {host.data(), host.data() + host.size()};
  }
  template <int n>
  void check(int rows) {
    auto const copy = narrowed<float>(exec, to_device<double, n, double>(exec, random_csr(rows, n)));
    for (unsigned const seed : {7u, 8u}) {
      auto reference = random_csr(rows, n);  // the structure stays
      for (auto& block : reference.blocks) {
        for (auto& entry : block.entries) entry *= seed / 3.0;
      }
      auto const a = to_device<double, n, double>(exec, reference);
      narrow(exec, a, copy);
      auto expected = values(a);
      for (auto& value : expected) value = static_cast<float>(value);
      EXPECT_TRUE(bitwise_equal(values(copy), expected)) << rows << " rows, n = " << n;
    }
  }

  Exec exec{};
};
TYPED_TEST_SUITE(NarrowCsr, ExecutionSpaces, SpaceNames);

TYPED_TEST(NarrowCsr, has_the_rounded_values_and_is_renewed) {
  this->template check<1>(1);
  this->template check<1>(37);
  this->template check<3>(101);
  this->template check<5>(13);
}

TYPED_TEST(NarrowCsr, shares_the_structure) {
  auto const a = to_device<double, 2, double>(this->exec, random_csr(9, 2));
  auto const copy = narrowed<float>(this->exec, a);
  EXPECT_EQ(copy.offsets().data(), a.offsets().data());
  EXPECT_EQ(copy.columns().data(), a.columns().data());
}

TYPED_TEST(NarrowCsr, a_transpose_has_the_lists_that_there_are) {
  for (int const rows : {1, 37}) {
    auto const a = to_device<double, 3, double>(this->exec, random_csr(rows, 3));
    auto const copy = narrowed<float>(this->exec, a);
    auto const at = transposed(this->exec, a);
    auto const x = to_view<double>(this->exec, random_vector(rows * 3)),
               y = to_view<double>(this->exec, random_vector(rows * 3));
    auto const product = [&](const auto& matrix) {
      apply(this->exec, matrix, x, y);
      return to_host(y);
    };
    auto const of_copy = transposed(this->exec, copy);
    auto const expected = product(of_copy), exact = product(at);
    KokkosEvents const events;
    auto const shared = transposed(at, copy);
    EXPECT_THAT(events.allocations(), ::testing::IsEmpty());
    EXPECT_TRUE(bitwise_equal(product(shared), expected)) << rows;
    EXPECT_TRUE(bitwise_equal(product(at), exact)) << rows;
    auto const other = narrowed<float>(this->exec, to_device<double, 3, double>(this->exec, random_csr(rows, 3)));
    EXPECT_THAT(message_of([&] { transposed(at, other); }),
                ::testing::StartsWith("TransposedBlockCsr: the lists are of other arrays than those of A"));
  }
}

TYPED_TEST(NarrowCsr, names_what_overflows) {
  auto reference = random_csr(30, 2);
  for (int const row : {0, 11, 29}) {
    auto wrong = reference;
    wrong.blocks[block_at(wrong, row, row)](1, 0) = -1e45;
    auto const a = to_device<double, 2, double>(this->exec, wrong);
    auto const place = "block of row " + std::to_string(row) + " and column " + std::to_string(row);
    EXPECT_THAT(message_of([&] { narrowed<float>(this->exec, a); }),
                ::testing::HasSubstr("narrow: " + place + ": entry (1, 0) is -1e+45, more than the storage type"));
  }
}

TYPED_TEST(NarrowCsr, wants_as_many_rows_and_blocks) {
  auto const a = to_device<double, 2, double>(this->exec, random_csr(30, 2));
  auto const other = to_device<double, 2, float>(this->exec, random_csr(20, 2));
  EXPECT_THAT(message_of([&] { narrow(this->exec, a, other); }),
              ::testing::HasSubstr("narrow: the copy has 20 rows and " + std::to_string(other.blocks()) +
                                   " blocks, expected 30 and " + std::to_string(a.blocks())));
}

TYPED_TEST(NarrowCsr, says_which_block_is_another_one) {
  auto reference = random_csr(30, 2);
  auto const nan = std::numeric_limits<double>::quiet_NaN();
  reference.blocks[block_at(reference, 3, 3)](0, 0) = nan;
  auto const a = to_device<double, 2, double>(this->exec, reference);
  auto const copy = narrowed<float>(this->exec, a);
  EXPECT_EQ(describe_other_copy(this->exec, a, copy), "");
  for (double const value : {3.0, nan}) {
    for (int const row : {29, 11}) {
      reference.blocks[block_at(reference, row, row)](1, 0) = value;
      auto const changed = to_device<double, 2, double>(this->exec, reference);
      auto const words = "the copy is not of A as it is now, but differs in block of row " + std::to_string(row) +
                         " and column " + std::to_string(row);
      EXPECT_EQ(describe_other_copy(this->exec, changed, copy), words);
      EXPECT_EQ(describe_other_copy(this->exec, transposed(this->exec, changed), transposed(this->exec, copy)), words);
    }
    reference = random_csr(30, 2);
    reference.blocks[block_at(reference, 3, 3)](0, 0) = nan;
  }
}

}  // namespace
}  // namespace hyperplane::test::narrow_csr
