// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mesh/plot3d.hpp"

#include <hyperplane/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

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
    write_plot3d(m_file, mesh, format);
    expect_same(read_plot3d(m_file), mesh);
  }
}

TEST_F(Plot3d, ReadsSinglePrecision) {
  std::string text;
  for (int const extent : {2, 2, 2}) text += bytes(std::int32_t{extent});
  for (int value = 0; value < 24; ++value) text += bytes(0.5F * static_cast<float>(value));
  put(text);
  auto const mesh = read_plot3d(m_file);
  EXPECT_EQ(mesh.at(1, 1, 1).x, 3.5);
  EXPECT_EQ(mesh.at(0, 0, 0).z, 8);
}

TEST_F(Plot3d, ReadsFortranHabits) {
  put("1\n 2, 2, 2\n 0.d0 1D0 0 1 0 1 0 +1.0\n 2*0 2*1 2*0. 2*1.e0\n 4*0 4*1\n");
  auto const habits = read_plot3d(m_file);
  put(two_cubed);
  expect_same(habits, read_plot3d(m_file));
}

TEST_F(Plot3d, ReadsExtentsOneALine) {
  put("2\n2\n2\n" + two_cubed.substr(6));
  EXPECT_EQ(read_plot3d(m_file).vertices, hyperplane::Grid(2, 2, 2));
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
  EXPECT_THAT(error_of("3\n2 2 2\n2 2 2\n2 2 2\n"), HasSubstr("line 1: 3 blocks: only single-block"));
}

TEST_F(Plot3d, NamesFileAndByteOfBinaryErrors) {
  auto const mesh = make_wavy_box({2, 2, 2}, 0);
  write_plot3d(m_file, mesh, Plot3dFormat::unformatted);
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

  write_plot3d(m_file, mesh, Plot3dFormat::stream);
  EXPECT_THAT(error_of(contents().substr(0, 200)), HasSubstr("byte 12: 188 bytes of coordinates, but 3x3x3 vertices"));
}

TEST_F(Plot3d, NamesFilesThatCannotBeUsed) {
  EXPECT_THAT(error(), HasSubstr("cannot be read"));
  EXPECT_THAT(error_of(""), HasSubstr("the file is empty"));
  EXPECT_THROW(write_plot3d("/nonexistent/grid.p3d", make_wavy_box({1, 1, 1}, 0), Plot3dFormat::ascii),
               hyperplane::Error);
}

}  // namespace
}  // namespace implicit_flow
