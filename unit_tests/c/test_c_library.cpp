// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <hyperplane.h>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

// A program that leaves Kokkos to the library: one process, one life of it.
namespace {

TEST(CLibrary, lives_once) {
  hyperplane_grid const grid{2, 2, 2};
  hyperplane_context context = nullptr;
  hyperplane_vector vector = nullptr;
  EXPECT_STRNE(hyperplane_version(), "");
  EXPECT_STREQ(hyperplane_last_error_message(), "");
  EXPECT_EQ(hyperplane_is_initialized(), 0);
  EXPECT_EQ(hyperplane_has_block_size(1), 1);
  EXPECT_EQ(hyperplane_has_block_size(17), 0);
  EXPECT_STREQ(hyperplane_status_name(HYPERPLANE_SIZE_MISMATCH), "HYPERPLANE_SIZE_MISMATCH");
  EXPECT_STREQ(hyperplane_status_name(static_cast<hyperplane_status>(100)), "no hyperplane_status");

  EXPECT_EQ(hyperplane_context_create(nullptr, nullptr, &context), HYPERPLANE_NOT_INITIALIZED);
  EXPECT_STREQ(hyperplane_last_error_message(),
               "hyperplane_context_create: hyperplane_initialize() has not been called");
  EXPECT_EQ(hyperplane_finalize(), HYPERPLANE_NOT_INITIALIZED);

  ::setenv("HYPERPLANE_DEVICE", "first", 1);
  EXPECT_EQ(hyperplane_initialize(), HYPERPLANE_INVALID_ARGUMENT);
  EXPECT_EQ(hyperplane_is_initialized(), 0);
  ::unsetenv("HYPERPLANE_DEVICE");
  // Nothing has been initialized that could not be again.
  ::setenv("HYPERPLANE_TIMERS", "/no/such/folder/timers.json", 1);
  EXPECT_EQ(hyperplane_initialize(), HYPERPLANE_INVALID_ARGUMENT);
  EXPECT_NE(std::string(hyperplane_last_error_message()).find("cannot write to '/no/such"), std::string::npos);
  EXPECT_EQ(hyperplane_is_initialized(), 0);
  auto const timers = ::testing::TempDir() + "timers_%p.json";
  ::setenv("HYPERPLANE_TIMERS", timers.c_str(), 1);

  EXPECT_EQ(hyperplane_initialize(), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  EXPECT_EQ(hyperplane_initialize(), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_context_create(nullptr, nullptr, &context), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_vector_create(context, grid, 1, &vector), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_finalize(), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_is_initialized(), 1);
  EXPECT_EQ(hyperplane_vector_fill(vector, 1.0), HYPERPLANE_SUCCESS);

  // What is left is freed, and the times of kernels are reported.
  EXPECT_EQ(hyperplane_finalize(), HYPERPLANE_SUCCESS);
  EXPECT_EQ(hyperplane_is_initialized(), 0);
  auto const report = ::testing::TempDir() + "timers_" + std::to_string(::getpid()) + ".json";
  std::string text;
  std::getline(std::ifstream(report), text, '\0');
  EXPECT_NE(text.find("Hyperplane::Vector::fill"), std::string::npos) << text;
  std::remove(report.c_str());
  EXPECT_EQ(hyperplane_vector_fill(vector, 1.0), HYPERPLANE_NOT_INITIALIZED);
  EXPECT_EQ(hyperplane_free(vector), HYPERPLANE_NOT_INITIALIZED);
  EXPECT_EQ(hyperplane_initialize(), HYPERPLANE_NOT_AVAILABLE);
  EXPECT_NE(std::string(hyperplane_last_error_message()).find("Kokkos has been finalized"), std::string::npos);
}

}  // namespace
