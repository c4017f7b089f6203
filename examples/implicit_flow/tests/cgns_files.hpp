// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "case.hpp"
#include "cgns_writer.hpp"
#include "mesh/blocks.hpp"
#include "mesh/cgns.hpp"

#include <hyperplane/core/error.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <filesystem>
#include <string>

namespace implicit_flow::cgns_files {

using cgns_writer::File;

inline File file_of(const MeshBlocks& blocks) {
  File result{.zones = {}, .meshes = blocks.meshes, .connections = cgns_writer::connections_of(blocks.cells)};
  for (std::size_t b = 0; b < blocks.meshes.size(); ++b) result.zones.push_back("zone " + std::to_string(b));
  return result;
}

/// 2 x 3 x 2 cells each, and an interface given from the left.
inline File two_zones() {
  return {.zones = {"left", "right"},
          .meshes = cut(make_wavy_box({4, 3, 2}, 0.04), {2, 1, 1}).meshes,
          .connections = {{.zone = 0,
                           .name = "seam",
                           .donor = "right",
                           .range = {3, 1, 1, 3, 4, 3},
                           .donor_range = {1, 1, 1, 1, 4, 3},
                           .transform = {1, 2, 3}}}};
}

/// A file of the test's own, which is removed at its end.
class CgnsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto const* test = ::testing::UnitTest::GetInstance()->current_test_info();
    m_file = std::filesystem::temp_directory_path() / ("implicit_flow_" + std::string(test->name()) + ".cgns");
  }
  void TearDown() override {
    std::filesystem::remove(m_file);
    std::filesystem::remove(other_file());
  }
  /// Without the extension of CGNS.
  std::filesystem::path other_file() const { return m_file.string() + ".grid"; }

  CgnsGrid read(const File& file) const {
    write(m_file, file);
    return read_cgns(m_file);
  }

  /// A case with the grid of a file.
  Case case_of(const File& file, CaseOptions options = {}) const {
    write(m_file, file);
    options.grid_file = m_file;
    return make_case(options);
  }

  /// Message of the error that a case gives; empty if there is none.
  std::string error_of(const File& file, const CaseOptions& options = {}) const {
    try {
      case_of(file, options);
    } catch (const hyperplane::Error& problem) {
      return problem.what();
    }
    return {};
  }
  /// The same of two_zones(), changed.
  template <class Change>
  std::string error_after(const Change& change) const {
    auto file = two_zones();
    change(file);
    return error_of(file);
  }

  std::filesystem::path m_file;
};

}  // namespace implicit_flow::cgns_files
