// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <string>
#include <vector>

#include "c/c_fixture.hpp"
#include "support/folded_order.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"

// Folded directions by name and in the struct.
namespace hyperplane::test {
namespace {

class CFolded : public ::testing::TestWithParam<std::string> {
 protected:
  CSystem system{GetParam()};
};

INSTANTIATE_TEST_SUITE_P(Backends, CFolded, ::testing::ValuesIn(c_backends()),
                         [](const auto& backend) { return backend.param; });

TEST_P(CFolded, directions_are_those_of_the_reference) {
  for (auto const& folded : foldings()) {
    auto const expected = ReferenceIlu0(system.reference, folded_order(system.grid, folded)).solve(system.rhs);
    hyperplane_preconditioner m = nullptr;
    auto const text = "folded=" + (folded.any() ? letters(folded) : "none");
    EXPECT_TRUE(near(system.applied(system.named("bilu0", text)), expected, 1e-12)) << text;

    hyperplane_preconditioner_options options;
    EXPECT_EQ(hyperplane_preconditioner_options_init(&options), HYPERPLANE_SUCCESS);
    options.folded[0] = folded.i ? 1 : 0;
    options.folded[1] = folded.j ? 1 : 0;
    options.folded[2] = folded.k ? 1 : 0;
    EXPECT_EQ(hyperplane_preconditioner_create(system.context, system.c_grid, CSystem::n, &options, &m),
              HYPERPLANE_SUCCESS);
    EXPECT_TRUE(near(system.applied(m), expected, 1e-12)) << text;
  }
}

}  // namespace
}  // namespace hyperplane::test
