// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.hpp"
#include "cgns_files.hpp"
#include "mesh/blocks.hpp"
#include "ranks/flow_over_ranks.hpp"

#include <hyperplane/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace implicit_flow::cgns_files {
namespace {

using ::testing::HasSubstr;
using Exec = Kokkos::DefaultExecutionSpace;

class CgnsOverRanks : public ::testing::Test {
 protected:
  void TearDown() override {
    if (world.rank() == 0) std::filesystem::remove(m_file);
  }

  /// A case that all ranks read from a file that the first one writes, without some bytes at its end.
  Case read_by_all(const File& file, std::uintmax_t missing = 0) const {
    world.agree([&] {
      if (world.rank() != 0) return;
      write(m_file, file);
      std::filesystem::resize_file(m_file, std::filesystem::file_size(m_file) - missing);
    });
    return world.agree([&] { return make_case({.grid_file = m_file}); });
  }
  /// What all ranks are told.
  std::string error_of(const File& file, std::uintmax_t missing = 0) const {
    std::string message;
    try {
      read_by_all(file, missing);
    } catch (const hyperplane::Error& error) {
      message = error.what();
    }
    EXPECT_EQ(message, world.from(0, message));
    return message;
  }

  hyperplane::Communicator world{MPI_COMM_WORLD};

  std::filesystem::path m_file =
      std::filesystem::temp_directory_path() / ("implicit_flow_over_" + std::to_string(world.size()) + "_ranks.cgns");
};

TEST_F(CgnsOverRanks, HasTheFlowOfTheParts) {
  Exec const exec;
  auto const parts = make_case({.parts = {4, 2, 1}, .cells = hyperplane::Grid(20, 12, 1)});
  auto const flow = read_by_all(file_of(parts.blocks));
  auto const residuals = [&](const Case& of) {
    FlowSolver solver(exec, Ranks<Exec>(world, of.blocks.cells), of.blocks, of.gas, of.boundary, {.max_steps = 5});
    std::vector<double> result;
    solver.run(exec, [&](const StepReport& step) { result.push_back(step.residual); });
    return result;
  };
  EXPECT_EQ(residuals(flow), residuals(parts));
}

TEST_F(CgnsOverRanks, HasOneErrorOnAll) {
  auto file = two_zones();
  file.connections[0].donor = "nobody";
  EXPECT_THAT(error_of(file), HasSubstr("zone 'left' (grid block 0), GridConnectivity1to1 'seam': there is no zone"));
}

// A file of HDF5 is not opened then. Of one of ADF, whose end is the last array here, 12 kB, arrays are read later.
TEST_F(CgnsOverRanks, HasOneErrorOfAFileThatIsCutShort) {
  File file{.zones = {"left", "right"}, .meshes = cut(make_wavy_box({24, 12, 8}, 0.04), {2, 1, 1}).meshes};
  EXPECT_THAT(error_of(file, 9000), HasSubstr("rank 0: " + m_file.string() + ": no CGNS file, or not a whole one: "));
  file.is_adf = true;
  EXPECT_THAT(error_of(file, 9000),
              HasSubstr("rank 0: " + m_file.string() + ": zone 'right' (grid block 1), CoordinateZ: cannot be read"));
}

}  // namespace
}  // namespace implicit_flow::cgns_files
