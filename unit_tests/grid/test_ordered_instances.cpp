// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/ordered_instances.hpp>
#include <string>

#include "support/message_of.hpp"

namespace hyperplane::test {
namespace {

TEST(OrderedInstances, what_follows_is_ordered_also_after_an_error) {
  int gathered = 0;
  auto const works = [] {};
  auto const fails = [] { fail("a launch"); };
  auto const gathers = [&] { ++gathered; };
  auto const gathers_nothing = [&] {
    ++gathered;
    fail("a wait");
  };
  auto const message = [](const auto& launches, const auto& gather) {
    return message_of([&] { detail::launch_and_gather(launches, gather); }).substr(0, 8);
  };
  EXPECT_EQ(message(works, gathers), "nothing ");
  EXPECT_EQ(message(fails, gathers), "a launch");
  EXPECT_EQ(message(works, gathers_nothing).substr(0, 6), "a wait");
  EXPECT_EQ(message(fails, gathers_nothing), "a launch");
  EXPECT_EQ(gathered, 4);
}

}  // namespace
}  // namespace hyperplane::test
