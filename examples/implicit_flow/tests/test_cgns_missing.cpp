// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "case.hpp"

#include <hyperplane/core/error.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace implicit_flow {
namespace {

TEST(Cgns, IsMissingAndSaysHowToGetIt) {
  try {
    make_case({.grid_file = "wing.cgns"});
    FAIL() << "no error";
  } catch (const hyperplane::Error& error) {
    EXPECT_THAT(error.what(),
                ::testing::HasSubstr("wing.cgns: this is a CGNS file, and the program was built without"));
    EXPECT_THAT(error.what(), ::testing::HasSubstr("libcgns-dev"));
  }
}

}  // namespace
}  // namespace implicit_flow
