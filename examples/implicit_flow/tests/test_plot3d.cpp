// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mesh/plot3d.hpp"

#include <hyperplane/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace implicit_flow {
namespace {

using ::testing::HasSubstr;

class Plot3d : public ::testing::Test {
 protected:
  void SetUp() override {
    auto const* test = ::testing::UnitTest::GetInstance()->current_test_info();
    m_file = std::filesystem::temp_directory_path() / ("implicit_flow_" + std::string(test->name()) + ".p3d");
  }
  void TearDown() override { std::filesystem::remove(m_file); }

  void put(const std::string& contents) { std::ofstream(m_file, std::ios::binary) << contents; }
  std::string contents() {
    std::ifstream in(m_file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  Mesh read_one() {
    auto const blocks = read_plot3d(m_file);
    EXPECT_EQ(blocks.size(), 1U);
    return blocks.front();
  }

  /// Message of the error that reading gives; empty if there is none.
  std::string error() {
    try {
      read_plot3d(m_file);
    } catch (const hyperplane::Error& problem) {
      return problem.what();
    }
    return {};
  }
  std::string error_of(const std::string& text) {
    put(text);
    return error();
  }

  std::filesystem::path m_file;
};

template <class T>
std::string bytes(T value) {
  return {reinterpret_cast<const char*>(&value), sizeof(value)};
}

/// The bytes of each number in the other order.
std::string swapped(std::string contents, std::size_t begin, std::size_t end, std::size_t width) {
  for (auto at = begin; at + width <= end; at += width) {
    std::reverse(contents.begin() + static_cast<std::ptrdiff_t>(at),
                 contents.begin() + static_cast<std::ptrdiff_t>(at + width));
  }
  return contents;
}

std::span<const Mesh> alone(const Mesh& mesh) { return {&mesh, 1}; }

void expect_same(const Mesh& a, const Mesh& b) {
  ASSERT_EQ(a.vertices, b.vertices);
  for (std::size_t p = 0; p < a.position.size(); ++p) {
    EXPECT_EQ(a.position[p].x, b.position[p].x);
    EXPECT_EQ(a.position[p].y, b.position[p].y);
    EXPECT_EQ(a.position[p].z, b.position[p].z);
  }
}

std::string const two_cubed = "2 2 2\n0 1 0 1 0 1 0 1\n0 0 1 1 0 0 1 1\n0 0 0 0 1 1 1 1\n";

TEST_F(Plot3d, RoundTripsWithoutLoss) {
  auto const mesh = make_wavy_box({3, 4, 2}, 0.05);
  for (auto const format : {Plot3dFormat::ascii, Plot3dFormat::unformatted, Plot3dFormat::stream}) {
    write_plot3d(m_file, alone(mesh), format);
    expect_same(read_one(), mesh);
  }
}

TEST_F(Plot3d, ReadsSinglePrecision) {
  std::string text;
  for (int const extent : {2, 2, 2}) text += bytes(std::int32_t{extent});
  for (int value = 0; value < 24; ++value) text += bytes(0.5F * static_cast<float>(value));
  put(text);
  auto const mesh = read_one();
  EXPECT_EQ(mesh.at(1, 1, 1).x, 3.5);
  EXPECT_EQ(mesh.at(0, 0, 0).z, 8);
}

TEST_F(Plot3d, ReadsFortranHabits) {
  put("1\n 2, 2, 2\n 0.d0 1D0 0 1 0 1 0 +1.0\n 2*0 2*1 2*0. 2*1.e0\n 4*0 4*1\n");
  auto const habits = read_one();
  put(two_cubed);
  expect_same(habits, read_one());
}

TEST_F(Plot3d, ReadsExtentsOneALine) {
  put("2\n2\n2\n" + two_cubed.substr(6));
  EXPECT_EQ(read_one().vertices, hyperplane::Grid(2, 2, 2));
}

TEST_F(Plot3d, NamesFileAndLineOfTextErrors) {
  EXPECT_THAT(error_of("2 2 x\n"), HasSubstr(m_file.string() + ", line 1: 'x' is not an integer"));
  EXPECT_THAT(error_of("2 2 2\n0 1 0 1\n0 one"),
              HasSubstr("line 3: 'one' is not a finite number (x of vertex (1, 0, 1))"));
  EXPECT_THAT(error_of("2 2 2\n0 1 0 1\n0 nan"), HasSubstr("line 3: 'nan' is not a finite number"));
  EXPECT_THAT(error_of("2 2 2\n0 1 0 1\n"), HasSubstr("the file ends before x of vertex (0, 0, 1)"));
  EXPECT_THAT(error_of("2 2 1\n0 1 0 1\n"), HasSubstr("line 1: extents 2 x 2 x 1: each must be from 2"));
  EXPECT_THAT(error_of("2 -2 2\n"), HasSubstr("extents 2 x -2 x 2"));
  EXPECT_THAT(error_of("99999999999999999999 2 2\n"), HasSubstr("line 1: '99999999999999999999' is not an integer"));
  EXPECT_THAT(error_of(two_cubed + "1\n"), HasSubstr("line 5: data after the end of the grid"));
  EXPECT_THAT(error_of("2 2 2\n25*0\n"), HasSubstr("line 2: more numbers than the grid has coordinates"));
  EXPECT_THAT(error_of("3\n2 2 2\n2 2 2\n2 2 2\n"), HasSubstr("the file ends before x of vertex (0, 0, 0) of block 0"));
}

TEST_F(Plot3d, NamesFileAndByteOfBinaryErrors) {
  auto const mesh = make_wavy_box({2, 2, 2}, 0);
  write_plot3d(m_file, alone(mesh), Plot3dFormat::unformatted);
  auto const good = contents();
  ASSERT_EQ(good.size(), 20 + 8 + 3 * 27 * sizeof(double));

  EXPECT_THAT(error_of(good.substr(0, 100)), HasSubstr(m_file.string() + ", byte 100: the file is truncated"));
  EXPECT_THAT(error_of(good.substr(0, 6)), HasSubstr("byte 6: the file is truncated"));
  EXPECT_THAT(error_of(good + "more"), HasSubstr("byte 676: data after the end"));
  auto bad = good;
  bad.replace(20, 4, bytes(std::uint32_t{640}));
  EXPECT_THAT(error_of(bad), HasSubstr("byte 664: record length"));
  bad = good;
  bad.replace(24, 8, bytes(std::numeric_limits<double>::quiet_NaN()));
  EXPECT_THAT(error_of(bad), HasSubstr("byte 24: x of vertex (0, 0, 0) is not a finite number"));
  bad = good;
  bad.replace(4, 4, bytes(std::int32_t{-3}));
  EXPECT_THAT(error_of(bad), HasSubstr("byte 4: extents -3 x 3 x 3"));

  write_plot3d(m_file, alone(mesh), Plot3dFormat::stream);
  EXPECT_THAT(error_of(contents().substr(0, 200)), HasSubstr("byte 12: 188 bytes of coordinates, but 3x3x3 vertices"));
}

/// Three blocks of different shapes.
std::vector<Mesh> three_blocks() {
  return {make_wavy_box({3, 4, 2}, 0.05), make_wavy_box({1, 1, 1}, 0), make_wavy_box({2, 5, 3}, 0.02)};
}

TEST_F(Plot3d, RoundTripsSeveralBlocks) {
  auto const blocks = three_blocks();
  for (auto const format : {Plot3dFormat::ascii, Plot3dFormat::unformatted, Plot3dFormat::stream}) {
    write_plot3d(m_file, blocks, format);
    auto const found = read_plot3d(m_file);
    ASSERT_EQ(found.size(), blocks.size());
    for (std::size_t b = 0; b < blocks.size(); ++b) expect_same(found[b], blocks[b]);
  }
}

TEST_F(Plot3d, TellsManyBlocksFromRecords) {
  // Words that look like the markers of a first record of 8, 12 or 4 bytes.
  std::vector<Mesh> eight{make_wavy_box({2, 1, 7}, 0.02)}, twelve{make_wavy_box({2, 1, 1}, 0.02)};
  eight.resize(8, make_wavy_box({1, 1, 2}, 0.02));
  twelve.resize(12, make_wavy_box({11, 1, 1}, 0.02));
  std::vector<Mesh> four{make_wavy_box({1, 3, 23}, 0.02)};
  four.resize(4, make_wavy_box({3, 1, 2}, 0.02));
  for (auto const& blocks : {eight, twelve, four}) {
    for (auto const format : {Plot3dFormat::unformatted, Plot3dFormat::stream}) {
      write_plot3d(m_file, blocks, format);
      auto const found = read_plot3d(m_file);
      ASSERT_EQ(found.size(), blocks.size());
      for (std::size_t b = 0; b < blocks.size(); ++b) expect_same(found[b], blocks[b]);
    }
  }
}

TEST_F(Plot3d, RefusesSizesThatTheFileCannotHave) {
  auto const large = bytes(std::int32_t{5000}) + bytes(std::int32_t{5000}) + bytes(std::int32_t{5000});
  EXPECT_THAT(error_of(large + std::string(88, '\0')),
              HasSubstr("88 bytes of coordinates, but 5000x5000x5000 vertices need 3000000000000 (double)"));
  EXPECT_THAT(error_of("5000 5000 5000\n0 1 2\n"), HasSubstr("the file ends before x of vertex (3, 0, 0)"));
  // The sum of all sizes is 0 in 64 bits.
  std::string many;
  for (int word = 0; word < 1 + 3 * 65536; ++word) many += bytes(std::int32_t{65536});
  EXPECT_THAT(error_of(many), HasSubstr("0 bytes of coordinates of block 0, but 65536x65536x65536 vertices need"));
  std::string text = "65536\n";
  for (int block = 0; block < 65536; ++block) text += "65536 65536 65536\n";
  EXPECT_THAT(error_of(text), HasSubstr("the file ends before x of vertex (0, 0, 0) of block 0"));
}

TEST_F(Plot3d, FindsTheByteOrderOrIsTold) {
  auto const blocks = three_blocks();
  std::size_t const values = 3 * (60 + 8 + 72);
  write_plot3d(m_file, blocks, Plot3dFormat::stream);
  auto const native = contents();
  put(swapped(swapped(native, 0, 40, 4), 40, 40 + 8 * values, 8));
  auto const found = read_plot3d(m_file);
  ASSERT_EQ(found.size(), blocks.size());
  expect_same(found[2], blocks[2]);
  auto const other = std::endian::native == std::endian::little ? Plot3dByteOrder::big : Plot3dByteOrder::little;
  auto const own = other == Plot3dByteOrder::big ? Plot3dByteOrder::little : Plot3dByteOrder::big;
  expect_same(read_plot3d(m_file, other)[0], blocks[0]);
  EXPECT_THROW(read_plot3d(m_file, own), hyperplane::Error);
  // Records: markers, extents, markers and coordinates.
  write_plot3d(m_file, alone(blocks[0]), Plot3dFormat::unformatted);
  put(swapped(swapped(swapped(contents(), 0, 24, 4), 24, 24 + 8 * 180, 8), 24 + 8 * 180, 28 + 8 * 180, 4));
  expect_same(read_one(), blocks[0]);
}

TEST_F(Plot3d, ReadsTwoDimensions) {
  auto const check = [&](std::size_t count) {
    auto const blocks = read_plot3d(m_file);
    ASSERT_EQ(blocks.size(), count);
    EXPECT_EQ(blocks.back().vertices, hyperplane::Grid(3, 2, 2));
    EXPECT_EQ(blocks.back().at(2, 1, 1).x, 2.5);
    EXPECT_EQ(blocks.back().at(2, 1, 1).y, 1);
    EXPECT_EQ(blocks.back().at(2, 1, 1).z - blocks.back().at(2, 1, 0).z, 1);
  };
  std::string const plane = "0 1 2 0 1 2.5\n0 0 0 1 1 1\n";
  put("3 2\n" + plane);
  check(1);
  put("1\n3 2\n" + plane);
  check(1);
  put("2 2 2 3 2 0 1 0 1 0 0 1 1\n" + plane);
  check(2);
  std::vector<float> const numbers{0, 1, 2, 0, 1, 2.5F, 0, 0, 0, 1, 1, 1};
  std::string binary;
  for (float const x : numbers) binary += bytes(x);
  std::string const extents = bytes(std::int32_t{3}) + bytes(std::int32_t{2});
  put(extents + binary);
  check(1);
  auto const record = [](const std::string& text) {
    auto const length = bytes(static_cast<std::uint32_t>(text.size()));
    return length + text + length;
  };
  put(record(extents) + record(binary));
  check(1);
  put(record(bytes(std::int32_t{2})) + record(extents + extents) + record(binary) + record(binary));
  check(2);
}

TEST_F(Plot3d, NamesTheBlockThatIsCutShort) {
  auto const blocks = three_blocks();
  write_plot3d(m_file, blocks, Plot3dFormat::ascii);
  auto const text = contents();
  EXPECT_THAT(error_of(text.substr(0, text.size() - 40)),
              HasSubstr("the file ends before z of vertex (1, 5, 3) of block 2"));
  EXPECT_THAT(error_of("2\n3 3 3\n3 3\n"), HasSubstr("the file ends before number of vertices along k of block 1"));
  EXPECT_THAT(error_of("0\n2 2 2\n"), HasSubstr("line 1: 0 blocks: there must be from 1"));
  EXPECT_THAT(error_of("2\n2 2 2\n2 1 2\n0 1\n"), HasSubstr("line 3: extents 2 x 1 x 2 of block 1: each must be"));

  // 12 + 44 bytes of records, then blocks of 60, 8 and 72 vertices.
  write_plot3d(m_file, blocks, Plot3dFormat::unformatted);
  auto const records = contents();
  std::size_t const second = 12 + 44 + 8 + 3 * 60 * 8, third = second + 8 + 3 * 8 * 8;
  ASSERT_EQ(records.size(), third + 8 + 3 * 72 * 8);
  EXPECT_THAT(error_of(records.substr(0, third + 100)),
              HasSubstr("byte " + std::to_string(third + 100) +
                        ": the file is truncated inside the record of 1728 bytes that starts at byte " +
                        std::to_string(third) + ", expected a record of coordinates of 3x6x4 vertices of block 2"));
  EXPECT_THAT(error_of(records.substr(0, third)),
              HasSubstr("the file is truncated, expected a record of coordinates of 3x6x4 vertices of block 2"));
  EXPECT_THAT(error_of(records.substr(0, 30)), HasSubstr("byte 30: the file is truncated inside the record of 36"));
  EXPECT_THAT(error_of(records + "iblank"), HasSubstr("data after the end of the grid"));

  write_plot3d(m_file, blocks, Plot3dFormat::stream);
  EXPECT_THAT(error_of(contents().substr(0, 40 + 8 * 3 * 68 + 24)),
              HasSubstr("24 bytes of coordinates of block 2, but 3x6x4 vertices need 1728 (double) or 864 (float)"));
}

TEST_F(Plot3d, NamesFilesThatCannotBeUsed) {
  EXPECT_THAT(error(), HasSubstr("cannot be read"));
  EXPECT_THAT(error_of(""), HasSubstr("the file is empty"));
  EXPECT_THROW(write_plot3d("/nonexistent/grid.p3d", alone(make_wavy_box({1, 1, 1}, 0)), Plot3dFormat::ascii),
               hyperplane::Error);
}

}  // namespace
}  // namespace implicit_flow
