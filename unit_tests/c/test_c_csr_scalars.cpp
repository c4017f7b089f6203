// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "c/c_csr_fixture.hpp"
#include "support/matchers.hpp"

// General matrices of scalars in blocks, whose holes are zeros.
namespace hyperplane::test {
namespace {

/// The entries of a mesh in blocks of 2 but every fifth that is not on the diagonal, with falling columns in a row.
template <class Index>
struct CScalars {
  CMesh blocks;  ///< with zeros for the holes
  std::vector<Index> offsets{0}, columns;
  std::vector<double> values;

  explicit CScalars(const CMesh& mesh) : blocks(mesh) {
    for (std::size_t row = 0; row + 1 < mesh.offsets.size(); ++row) {
      for (std::size_t r = 0; r < 2; ++r) {
        for (auto block = static_cast<std::size_t>(mesh.offsets[row + 1]);
             block-- > static_cast<std::size_t>(mesh.offsets[row]);) {
          for (std::size_t c = 2; c-- > 0;) add(row * 2 + r, block, r, c);
        }
        offsets.push_back(static_cast<Index>(columns.size()));
      }
    }
  }

  hyperplane_csr csr() const {
    hyperplane_csr result;
    EXPECT_EQ(hyperplane_csr_init(&result), HYPERPLANE_SUCCESS);
    result.rows = static_cast<std::int64_t>(offsets.size()) - 1;
    result.entries = count();
    result.unknowns_per_point = 2;
    result.index_type = sizeof(Index) == 8 ? HYPERPLANE_INDEX_64 : HYPERPLANE_INDEX_32;
    result.row_offsets = offsets.data();
    result.columns = columns.data();
    result.values = values.data();
    return result;
  }
  std::int64_t count() const { return static_cast<std::int64_t>(columns.size()); }

 private:
  void add(std::size_t scalar_row, std::size_t block, std::size_t r, std::size_t c) {
    auto const column = static_cast<std::size_t>(blocks.columns[block]) * 2 + c;
    auto const at = block * 4 + r * 2 + c;
    if (column != scalar_row && at % 5 == 1) {
      blocks.values[at] = 0.0;
      return;
    }
    columns.push_back(static_cast<Index>(column));
    values.push_back(blocks.values[at]);
  }
};

/// The product with random values and BILU(0) of them, of one matrix.
std::pair<std::vector<double>, std::vector<double>> uses_of(hyperplane_context context, hyperplane_matrix a) {
  auto const given = random_vector(60);
  std::vector<double> product(60), solved(60);
  hyperplane_vector x = nullptr, y = nullptr;
  hyperplane_preconditioner m = nullptr;
  EXPECT_EQ(hyperplane_csr_vector_create(context, 30, 2, &x), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_csr_vector_create(context, 30, 2, &y), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_vector_set(x, given.data(), 60, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_matrix_apply(a, x, y), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_vector_get(y, product.data(), 60, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_csr_preconditioner_create(a, nullptr, &m), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_preconditioner_factor(m, a), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_preconditioner_solve(m, x, y), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_vector_get(y, solved.data(), 60, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  for (void* handle : {static_cast<void*>(x), static_cast<void*>(y), static_cast<void*>(m)}) hyperplane_free(handle);
  return {product, solved};
}

template <class Index>
void compare_with_blocks(hyperplane_context context, const CMesh& mesh) {
  CScalars<Index> scalars(mesh);
  auto const csr = scalars.csr();
  auto const of_blocks = scalars.blocks.csr();
  hyperplane_matrix a = nullptr, expected = nullptr;
  EXPECT_EQ(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &a), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_csr_matrix_create(context, &of_blocks, HYPERPLANE_HOST, &expected), HYPERPLANE_SUCCESS);
  auto const set_blocks = [&](double factor) {
    auto values = scalars.blocks.values;
    for (auto& value : values) value *= factor;
    EXPECT_EQ(hyperplane_matrix_set(expected, values.data(), static_cast<std::int64_t>(values.size()),
                                    HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
              HYPERPLANE_SUCCESS);
  };
  auto const compare = [&] {
    auto const found = uses_of(context, a), wanted = uses_of(context, expected);
    EXPECT_TRUE(bitwise_equal(found.first, wanted.first));
    EXPECT_TRUE(bitwise_equal(found.second, wanted.second));
  };
  compare();
  // New values, in the order of the entries, whatever the order in a block, and back.
  auto const given = scalars.values;
  for (auto& value : scalars.values) value *= -2.0;
  EXPECT_EQ(hyperplane_matrix_set(a, scalars.values.data(), scalars.count(), HYPERPLANE_COLUMN_MAJOR, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  std::vector<double> back(scalars.values.size());
  EXPECT_EQ(hyperplane_matrix_get(a, back.data(), scalars.count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
            HYPERPLANE_SUCCESS);
  EXPECT_TRUE(bitwise_equal(back, scalars.values));
  set_blocks(-2.0);
  compare();
  scalars.values = given;
  auto const again = scalars.csr();
  EXPECT_EQ(hyperplane_matrix_set_csr(a, &again, HYPERPLANE_HOST), HYPERPLANE_SUCCESS)
      << hyperplane_last_error_message();
  set_blocks(1.0);
  compare();
  hyperplane_free(a);
  hyperplane_free(expected);
}

TEST_P(CRows, scalars_are_blocks_with_zeros_in_their_holes) {
  compare_with_blocks<std::int32_t>(context, mesh);
  compare_with_blocks<std::int64_t>(context, mesh);
}

TEST_P(CRows, scalars_that_make_no_blocks_are_refused) {
  CScalars<int> const scalars(mesh);
  auto const refused = [&](auto change, hyperplane_status status, const std::string& message) {
    auto copy = scalars;
    auto csr = copy.csr();
    change(copy, csr);
    hyperplane_matrix a = nullptr;
    expect_failure(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &a), status, message);
    EXPECT_EQ(a, nullptr);
  };
  auto const mismatch = HYPERPLANE_SIZE_MISMATCH;
  refused([](CScalars<int>&, hyperplane_csr& c) { c.rows = 59; }, mismatch,
          "rows is 59, expected a multiple of unknowns_per_point, 2");
  refused([](CScalars<int>&, hyperplane_csr& c) { c.unknowns_per_point = 17; }, HYPERPLANE_NOT_AVAILABLE,
          "unknowns per point: 17 is not in this build");
  refused([](CScalars<int>&, hyperplane_csr& c) { c.unknowns_per_point = -2; }, HYPERPLANE_NOT_AVAILABLE,
          "unknowns per point: -2 is not in this build");
  refused(
      [](CScalars<int>&, hyperplane_csr& c) {
        c.block_size = 2;
        c.unknowns_per_point = 4;
      },
      mismatch, "unknowns_per_point is 4, expected 2, or 0");
  refused([](CScalars<int>& s, hyperplane_csr&) { s.columns[1] = s.columns[0]; }, HYPERPLANE_INVALID_ARGUMENT,
          "row 0 has column " + std::to_string(scalars.columns[0]) + " twice");
  // What comes later.
  auto const csr = scalars.csr();
  hyperplane_matrix a = nullptr;
  EXPECT_EQ(hyperplane_csr_matrix_create(context, &csr, HYPERPLANE_HOST, &a), HYPERPLANE_SUCCESS);
  expect_failure(hyperplane_matrix_set(a, scalars.values.data(), value_count(), HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST),
                 mismatch, std::to_string(scalars.count()));
  auto const blocks = scalars.blocks.csr();
  expect_failure(hyperplane_matrix_set_csr(a, &blocks, HYPERPLANE_HOST), mismatch,
                 "there are 30 rows of blocks of 2, expected 60 of blocks of 1");
  expect_failure(hyperplane_matrix_set_csr(m_a, &csr, HYPERPLANE_HOST), mismatch,
                 "there are 60 rows of blocks of 1, expected 30 of blocks of 2");
  auto other = scalars;
  auto const first = static_cast<std::size_t>(other.offsets[7]);
  std::swap(other.columns[first], other.columns[first + 1]);
  auto changed = other.csr();
  expect_failure(hyperplane_matrix_set_csr(a, &changed, HYPERPLANE_HOST), HYPERPLANE_INVALID_ARGUMENT,
                 "row 7 has other columns, or in another order, than the matrix was created with");
  changed.unknowns_per_point = 3;
  expect_failure(hyperplane_matrix_set_csr(a, &changed, HYPERPLANE_HOST), mismatch,
                 "unknowns_per_point is 3, expected 2, or 0");
  hyperplane_free(a);
}

}  // namespace
}  // namespace hyperplane::test
