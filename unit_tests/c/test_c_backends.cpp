// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdlib>

#include "c/c_fixture.hpp"

namespace hyperplane::test {
namespace {

TEST(CBackends, are_chosen_by_name_and_by_the_environment) {
  EXPECT_EQ(hyperplane_initialize(), HYPERPLANE_SUCCESS);
  hyperplane_context context = nullptr;
  const char* name = nullptr;
  auto const create = [&](const char* backend) { return hyperplane_context_create(backend, nullptr, &context); };
  expect_failure(create("nonsense"), HYPERPLANE_NOT_AVAILABLE,
                 std::string("backend: 'nonsense' is not in this build, which has: ") + hyperplane_backends());
  for (auto const& backend : c_backends()) {
    ::setenv("HYPERPLANE_BACKEND", backend.c_str(), 1);
    for (const char* const unsaid : {static_cast<const char*>(nullptr), "", "auto"}) {
      EXPECT_EQ(create(unsaid), HYPERPLANE_SUCCESS);
      EXPECT_EQ(hyperplane_context_backend(context, &name), HYPERPLANE_SUCCESS);
      EXPECT_EQ(name, backend);
      hyperplane_free(context);
    }
  }
  ::setenv("HYPERPLANE_BACKEND", "nonsense", 1);
  expect_failure(create(nullptr), HYPERPLANE_NOT_AVAILABLE, "HYPERPLANE_BACKEND: 'nonsense' is not in this build");
  EXPECT_EQ(create(c_backends().front().c_str()), HYPERPLANE_SUCCESS);
  hyperplane_free(context);
  ::unsetenv("HYPERPLANE_BACKEND");
  EXPECT_EQ(hyperplane_finalize(), HYPERPLANE_SUCCESS);
}

}  // namespace
}  // namespace hyperplane::test
