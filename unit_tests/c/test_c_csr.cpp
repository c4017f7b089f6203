// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "c/c_fixture.hpp"
#include "support/matchers.hpp"

// Matrices from compressed rows.
namespace hyperplane::test {
namespace {

/// Compressed rows of blocks of `size`, which divides n, of a block matrix.
template <class Index>
struct CompressedRows {
  std::vector<Index> offsets, columns;
  std::vector<double> values;
  int block_size = 1;
  hyperplane_block_order order = HYPERPLANE_ROW_MAJOR;

  CompressedRows(const ReferenceStencil& a, int n, int size, hyperplane_block_order block_order, bool backwards)
      : offsets{0}, block_size(size), order(block_order) {
    for (std::int64_t row = 0; row < a.grid.size() * n / size; ++row) {
      auto const number = row * size / n;
      auto const p = a.grid.point(number);
      std::vector<Direction> directions(stencil7_directions.begin(), stencil7_directions.end());
      if (backwards) std::ranges::reverse(directions);
      for (auto const direction : directions) {
        auto const q = neighbour(p, direction);
        if (!a.grid.contains(q)) continue;
        auto const& block = a.blocks[number][static_cast<int>(direction)];
        for (int part = 0; part < n / size; ++part) {
          columns.push_back(static_cast<Index>(a.grid.index(q) * n / size + part));
          for (int e = 0; e < size * size; ++e) {
            int const r = order == HYPERPLANE_ROW_MAJOR ? e / size : e % size;
            int const c = order == HYPERPLANE_ROW_MAJOR ? e % size : e / size;
            values.push_back(block(static_cast<int>(row * size % n) + r, part * size + c));
          }
        }
      }
      offsets.push_back(static_cast<Index>(columns.size()));
    }
  }

  hyperplane_csr csr() const {
    hyperplane_csr result;
    EXPECT_EQ(hyperplane_csr_init(&result), HYPERPLANE_SUCCESS);
    result.rows = static_cast<std::int64_t>(offsets.size()) - 1;
    result.entries = static_cast<std::int64_t>(columns.size());
    result.block_size = block_size;
    result.order = order;
    result.index_type = sizeof(Index) == 8 ? HYPERPLANE_INDEX_64 : HYPERPLANE_INDEX_32;
    result.row_offsets = offsets.data();
    result.columns = columns.data();
    result.values = values.data();
    return result;
  }
};

std::vector<double> values_of(hyperplane_matrix a, std::int64_t count) {
  std::vector<double> values(static_cast<std::size_t>(count));
  EXPECT_EQ(hyperplane_matrix_get(a, values.data(), count, HYPERPLANE_ROW_MAJOR, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  return values;
}

/// Point by point, direction by direction; zero outside the grid.
std::vector<double> expected_values(const ReferenceStencil& a, int n) {
  std::vector<double> values;
  for (std::int64_t number = 0; number < a.grid.size(); ++number) {
    for (auto const direction : stencil7_directions) {
      bool const exists = a.grid.contains(neighbour(a.grid.point(number), direction));
      auto const& block = a.blocks[number][static_cast<int>(direction)];
      for (int e = 0; e < n * n; ++e) values.push_back(exists ? block(e / n, e % n) : 0.0);
    }
  }
  return values;
}

class CCsr : public ::testing::TestWithParam<std::string> {
 protected:
  CSystem system{GetParam()};
  std::int64_t const value_count = system.size() * CSystem::n * stencil7_size;

  hyperplane_status set(const hyperplane_csr& csr) const {
    return hyperplane_matrix_set_csr(system.a, &csr, HYPERPLANE_HOST);
  }
};

INSTANTIATE_TEST_SUITE_P(Backends, CCsr, ::testing::ValuesIn(c_backends()),
                         [](const auto& backend) { return backend.param; });

template <class Index>
void expect_equal_to_blocks(hyperplane_matrix a, const ReferenceStencil& reference, int n) {
  auto const expected = expected_values(reference, n);
  for (int const size : {1, n}) {
    for (auto const order : {HYPERPLANE_ROW_MAJOR, HYPERPLANE_COLUMN_MAJOR}) {
      for (bool const backwards : {false, true}) {
        CompressedRows<Index> const rows(reference, n, size, order, backwards);
        auto const csr = rows.csr();
        EXPECT_EQ(hyperplane_matrix_set_csr(a, &csr, HYPERPLANE_HOST), HYPERPLANE_SUCCESS)
            << hyperplane_last_error_message();
        EXPECT_TRUE(bitwise_equal(values_of(a, static_cast<std::int64_t>(expected.size())), expected));
      }
    }
  }
}

TEST_P(CCsr, gives_the_blocks_on_every_grid) {
  // Thin grids: numbers of neighbours in different directions differ by the same, and a direction has none.
  for (auto const grid : {Grid(5, 4, 3), Grid(1, 4, 3), Grid(4, 1, 3), Grid(4, 3, 1), Grid(1, 1, 5), Grid(1, 5, 1),
                          Grid(5, 1, 1), Grid(2, 1, 2), Grid(1, 2, 2), Grid(2, 2, 2), Grid(1, 1, 1)}) {
    for (int const n : {1, 2}) {
      hyperplane_matrix a = nullptr;
      EXPECT_EQ(
          hyperplane_matrix_create(system.context, {grid.ni(), grid.nj(), grid.nk()}, n, HYPERPLANE_STORAGE_DOUBLE, &a),
          HYPERPLANE_SUCCESS);
      auto const reference = random_stencil(grid, n);
      expect_equal_to_blocks<std::int32_t>(a, reference, n);
      expect_equal_to_blocks<std::int64_t>(a, reference, n);
      EXPECT_EQ(hyperplane_free(a), HYPERPLANE_SUCCESS);
    }
  }
}

TEST_P(CCsr, directions_follow_their_formula) {
  // A block that takes the first unknown of the neighbour, in one direction at a time.
  Grid const grid = system.grid;
  for (auto const& [di, dj, dk] :
       {std::array{0, 0, -1}, std::array{0, -1, 0}, std::array{-1, 0, 0}, std::array{0, 0, 0}, std::array{1, 0, 0},
        std::array{0, 1, 0}, std::array{0, 0, 1}}) {
    int const d = 3 + di + 2 * dj + 3 * dk;
    std::vector<double> values(static_cast<std::size_t>(value_count));
    for (std::int64_t p = 0; p < grid.size(); ++p) values[static_cast<std::size_t>((p * 7 + d) * 4)] = 1.0;
    CSystem::set(system.a, values, HYPERPLANE_ROW_MAJOR);
    EXPECT_EQ(hyperplane_matrix_apply(system.a, system.b, system.x), HYPERPLANE_SUCCESS);
    auto const y = system.get(system.x);
    for (std::int64_t p = 0; p < grid.size(); ++p) {
      auto const point = grid.point(p);
      Point const q{point.i + di, point.j + dj, point.k + dk};
      EXPECT_EQ(y[p * 2], grid.contains(q) ? system.rhs[grid.index(q) * 2] : 0.0) << d;
    }
  }
}

TEST_P(CCsr, replaces_all_of_the_matrix) {
  CompressedRows<int> rows(system.reference, CSystem::n, 1, HYPERPLANE_ROW_MAJOR, false);
  std::ranges::fill(rows.offsets, 0);
  auto csr = rows.csr();
  csr.entries = 0;
  std::vector<double> const none(value_count, 0.0);
  EXPECT_EQ(set(csr), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_TRUE(bitwise_equal(values_of(system.a, value_count), none));
  // Arrays of no entries may be nowhere.
  CSystem::set(system.a, std::vector<double>(value_count, 1.0), HYPERPLANE_ROW_MAJOR);
  csr.columns = nullptr;
  csr.values = nullptr;
  EXPECT_EQ(set(csr), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_TRUE(bitwise_equal(values_of(system.a, value_count), none));
}

TEST_P(CCsr, adds_entries_that_are_there_several_times) {
  CompressedRows<int> const once(system.reference, CSystem::n, 1, HYPERPLANE_ROW_MAJOR, false);
  auto several = once;
  // Three of the first row, of which two are one.
  several.columns.insert(several.columns.begin(), {once.columns[1], once.columns[1]});
  several.values.insert(several.values.begin(), {0.25, 0.5});
  for (std::size_t row = 1; row < several.offsets.size(); ++row) several.offsets[row] += 2;
  EXPECT_EQ(set(once.csr()), HYPERPLANE_SUCCESS);
  auto expected = values_of(system.a, value_count);
  EXPECT_EQ(set(several.csr()), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  // Row 0, column 1: of the block of the first point with itself.
  auto& entry = expected[HYPERPLANE_CENTER * 4 + 1];
  EXPECT_EQ(entry, once.values[1]);
  entry = (0.25 + 0.5) + once.values[1];
  EXPECT_TRUE(bitwise_equal(values_of(system.a, value_count), expected));
}

TEST_P(CCsr, names_the_entry_that_fits_no_stencil) {
  auto const before = values_of(system.a, value_count);
  CompressedRows<int> rows(system.reference, CSystem::n, CSystem::n, HYPERPLANE_ROW_MAJOR, false);
  // The last point of the first line of points, (4, 0, 0), and the first of the next, (0, 1, 0).
  auto const entry = static_cast<std::size_t>(rows.offsets[4]);
  auto const was = rows.columns[entry];
  rows.columns[entry] = 5;
  std::string const named = "entry " + std::to_string(entry) +
                            ", in row 4 and column 5, couples point (4, 0, 0) with (0, 1, 0), which is not in the "
                            "seven-point stencil of a 5x4x3 grid with block size 2; neighbours of the point are: west "
                            "(3, 0, 0), north (4, 1, 0), top (4, 0, 1)";
  expect_failure(set(rows.csr()), HYPERPLANE_INVALID_ARGUMENT, named);
  // An entry behind it is not the first.
  rows.columns.back() = 0;
  expect_failure(set(rows.csr()), HYPERPLANE_INVALID_ARGUMENT, named);
  rows.columns[entry] = was;
  expect_failure(set(rows.csr()), HYPERPLANE_INVALID_ARGUMENT, "in row 59 and column 0, couples point (4, 3, 2) with");
  // What is no number is no zero.
  std::fill_n(rows.values.end() - 4, 4, std::numeric_limits<double>::quiet_NaN());
  expect_failure(set(rows.csr()), HYPERPLANE_INVALID_ARGUMENT, "in row 59 and column 0");
  EXPECT_TRUE(bitwise_equal(values_of(system.a, value_count), before));
  // A zero says nothing that the matrix does not.
  std::fill_n(rows.values.end() - 4, 4, 0.0);
  EXPECT_EQ(set(rows.csr()), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();

  CompressedRows<std::int64_t> scalars(system.reference, CSystem::n, 1, HYPERPLANE_ROW_MAJOR, false);
  scalars.columns[0] = 119;
  expect_failure(set(scalars.csr()), HYPERPLANE_INVALID_ARGUMENT,
                 "entry 0, in row 0 and column 119, couples point (0, 0, 0) with (4, 3, 2)");
}

TEST_P(CCsr, has_neighbours_by_points_not_by_numbers) {
  // A point that has none.
  hyperplane_matrix a = nullptr;
  EXPECT_EQ(hyperplane_matrix_create(system.context, {1, 1, 1}, 1, HYPERPLANE_STORAGE_DOUBLE, &a), HYPERPLANE_SUCCESS);
  int const offsets[] = {0, 2}, columns[] = {0, 0};
  double const values[] = {2.0, 1.0};
  hyperplane_csr csr;
  EXPECT_EQ(hyperplane_csr_init(&csr), HYPERPLANE_SUCCESS);
  csr.rows = 1, csr.entries = 2, csr.row_offsets = offsets, csr.columns = columns, csr.values = values;
  EXPECT_EQ(hyperplane_matrix_set_csr(a, &csr, HYPERPLANE_HOST), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(values_of(a, 7)[HYPERPLANE_CENTER], 3.0);
  EXPECT_EQ(hyperplane_free(a), HYPERPLANE_SUCCESS);
  // Periodic along i: the ends are no neighbours.
  EXPECT_EQ(hyperplane_matrix_create(system.context, {3, 1, 1}, 1, HYPERPLANE_STORAGE_DOUBLE, &a), HYPERPLANE_SUCCESS);
  int const ring_offsets[] = {0, 3, 6, 9}, ring[] = {0, 1, 2, 0, 1, 2, 0, 1, 2};
  double const ones[] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  csr.rows = 3, csr.entries = 9, csr.row_offsets = ring_offsets, csr.columns = ring, csr.values = ones;
  expect_failure(hyperplane_matrix_set_csr(a, &csr, HYPERPLANE_HOST), HYPERPLANE_INVALID_ARGUMENT,
                 "couples point (0, 0, 0) with (2, 0, 0)");
  EXPECT_EQ(hyperplane_free(a), HYPERPLANE_SUCCESS);
}

TEST_P(CCsr, refuses_what_is_no_compressed_rows) {
  CompressedRows<int> const rows(system.reference, CSystem::n, 1, HYPERPLANE_ROW_MAJOR, false);
  auto const refused = [&](auto change, hyperplane_status status, const std::string& message) {
    auto copy = rows;
    auto csr = copy.csr();
    change(copy, csr);
    expect_failure(set(csr), status, message);
  };
  using Rows = CompressedRows<int>;
  auto const invalid = HYPERPLANE_INVALID_ARGUMENT;
  auto const null = HYPERPLANE_NULL_POINTER;
  auto const entries = std::to_string(rows.columns.size());
  refused([](Rows&, hyperplane_csr& c) { c.struct_size = 0; }, invalid, "hyperplane_csr_init");
  refused([](Rows&, hyperplane_csr& c) { c.row_offsets = nullptr; }, null, "row_offsets is NULL");
  refused([](Rows&, hyperplane_csr& c) { c.columns = nullptr; }, null, "columns is NULL");
  refused([](Rows&, hyperplane_csr& c) { c.values = nullptr; }, null, "values is NULL");
  refused([](Rows&, hyperplane_csr& c) { c.order = static_cast<hyperplane_block_order>(2); }, invalid, "order is 2");
  refused([](Rows&, hyperplane_csr& c) { c.index_type = static_cast<hyperplane_index_type>(2); }, invalid,
          "index_type is 2");
  refused([](Rows&, hyperplane_csr& c) { c.rows = 60; }, HYPERPLANE_SIZE_MISMATCH,
          "rows is 60, expected 120 of blocks of 1");
  refused([](Rows&, hyperplane_csr& c) { c.block_size = 3; }, HYPERPLANE_SIZE_MISMATCH,
          "block_size is 3, expected a divisor of 2");
  refused([](Rows&, hyperplane_csr& c) { c.unknowns_per_point = 3; }, HYPERPLANE_SIZE_MISMATCH,
          "unknowns_per_point is 3, expected 2, or 0");
  refused([](Rows&, hyperplane_csr& c) { c.block_size = 0; }, HYPERPLANE_SIZE_MISMATCH, "block_size is 0");
  refused([](Rows&, hyperplane_csr& c) { c.entries = -1; }, invalid, "entries is -1");
  constexpr auto huge = std::numeric_limits<std::int64_t>::max();
  refused([](Rows&, hyperplane_csr& c) { c.block_size = 0, c.value_count = 7; }, HYPERPLANE_SIZE_MISMATCH,
          "block_size is 0");
  refused([](Rows&, hyperplane_csr& c) { c.block_size = 2, c.rows = 60, c.entries = huge; }, invalid,
          "entries is 9223372036854775807, expected 0 to 2305843009213693951");
  refused([](Rows&, hyperplane_csr& c) { c.entries += 1; }, invalid,
          "row_offsets[120] is " + entries + ", expected entries");
  refused([](Rows&, hyperplane_csr& c) { c.entries = std::int64_t{1} << 60; }, invalid,
          "row_offsets[120] is " + entries + ", expected entries, 1152921504606846976");
  refused([](Rows& r, hyperplane_csr&) { r.offsets[0] = 1; }, invalid, "row_offsets[0] is 1, expected 0");
  refused([](Rows& r, hyperplane_csr&) { r.offsets[7] = -1; }, invalid, "and row_offsets[7] is -1, expected rising");
  refused([](Rows& r, hyperplane_csr&) { r.offsets[7] = 1 << 30; }, invalid,
          "and row_offsets[7] is 1073741824, expected rising numbers from 0 to entries, " + entries);
  refused([](Rows& r, hyperplane_csr&) { r.columns[3] = 120; }, invalid,
          "columns[3], of row 0, is 120, expected 0 to 119");
  refused([](Rows& r, hyperplane_csr&) { r.columns[3] = -1; }, invalid, "columns[3], of row 0, is -1");
  expect_failure(hyperplane_csr_init(nullptr), null, "csr is NULL");
  expect_failure(hyperplane_matrix_set_csr(system.a, nullptr, HYPERPLANE_HOST), null, "csr is NULL");
  auto const csr = rows.csr();
  expect_failure(hyperplane_matrix_set_csr(nullptr, &csr, HYPERPLANE_HOST), null, "matrix is NULL");
  expect_failure(hyperplane_matrix_set_csr(system.a, &csr, static_cast<hyperplane_memory_space>(7)), invalid,
                 "space is 7");
  expect_failure(hyperplane_matrix_set_csr(system.a, &csr, HYPERPLANE_DEVICE), invalid, "device memory");
}

TEST_P(CCsr, rounds_to_the_storage_of_the_matrix) {
  hyperplane_matrix narrow = nullptr;
  EXPECT_EQ(hyperplane_matrix_create(system.context, system.c_grid, CSystem::n, HYPERPLANE_STORAGE_FLOAT, &narrow),
            HYPERPLANE_SUCCESS);
  auto const csr_arrays = CompressedRows<int>(system.reference, CSystem::n, 2, HYPERPLANE_ROW_MAJOR, false);
  auto const csr = csr_arrays.csr();
  EXPECT_EQ(hyperplane_matrix_set_csr(narrow, &csr, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
  auto expected = expected_values(system.reference, CSystem::n);
  for (double& value : expected) value = static_cast<float>(value);
  EXPECT_TRUE(bitwise_equal(values_of(narrow, value_count), expected));
  EXPECT_EQ(hyperplane_free(narrow), HYPERPLANE_SUCCESS);
}

}  // namespace
}  // namespace hyperplane::test
