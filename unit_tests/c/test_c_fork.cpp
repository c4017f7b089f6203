// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>
#include <hyperplane.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

// A process that is forked from one that uses the library: nothing in it waits for threads that are not there.
namespace {

bool has_backend(const std::string& name) { return std::string(hyperplane_backends()).find(name) != std::string::npos; }

/// 0, or the number of the first expectation that was not met.
int child(hyperplane_context parents, hyperplane_vector of_parent, const std::string& backend) {
  bool const serial_works = has_backend("serial") && !has_backend("cuda");
  bool const works = serial_works && backend == "serial";
  hyperplane_status const expected = works ? HYPERPLANE_SUCCESS : HYPERPLANE_NOT_AVAILABLE;
  hyperplane_context context = nullptr;
  hyperplane_vector vector = nullptr;
  hyperplane_grid const grid{3, 2, 2};
  std::vector<double> values(12);
  if (hyperplane_vector_fill(of_parent, 2.0) != expected) return 1;
  if (!works && std::string(hyperplane_last_error_message()).find("was forked from") == std::string::npos) return 2;
  if (hyperplane_vector_create(parents, grid, 1, &vector) != expected) return 3;
  if (hyperplane_context_create(backend.c_str(), nullptr, &context) != expected) return 4;
  if (hyperplane_free(of_parent) != HYPERPLANE_SUCCESS) return 5;
  if (serial_works) {
    if (hyperplane_context_create("serial", nullptr, &context) != HYPERPLANE_SUCCESS) return 6;
    if (hyperplane_vector_create(context, grid, 1, &vector) != HYPERPLANE_SUCCESS) return 7;
    if (hyperplane_vector_fill(vector, 3.0) != HYPERPLANE_SUCCESS) return 8;
    if (hyperplane_vector_get(vector, values.data(), 12, HYPERPLANE_HOST) != HYPERPLANE_SUCCESS) return 9;
    if (values[11] != 3.0) return 10;
  }
  if (hyperplane_finalize() != HYPERPLANE_SUCCESS) return 11;
  // Not what the parent has, either.
  if (hyperplane_initialize() != HYPERPLANE_SUCCESS) return 12;
  if (!works && hyperplane_context_create(backend.c_str(), nullptr, &context) != expected) return 13;
  return 0;
}

std::vector<std::string> backends() {
  std::vector<std::string> names;
  std::string const list = hyperplane_backends();
  for (std::size_t begin = 0, end = 0; end != std::string::npos; begin = end + 2) {
    end = list.find(", ", begin);
    names.push_back(list.substr(begin, end - begin));
  }
  return names;
}

TEST(CFork, ends_with_a_status_where_threads_are_missing) {
  ASSERT_EQ(hyperplane_initialize(), HYPERPLANE_SUCCESS) << hyperplane_last_error_message();
  hyperplane_grid const grid{3, 2, 2};
  for (auto const& backend : backends()) {
    hyperplane_context context = nullptr;
    hyperplane_vector vector = nullptr;
    EXPECT_EQ(hyperplane_context_create(backend.c_str(), nullptr, &context), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_vector_create(context, grid, 1, &vector), HYPERPLANE_SUCCESS);
    // A parallel region.
    EXPECT_EQ(hyperplane_vector_fill(vector, 1.0), HYPERPLANE_SUCCESS);
    pid_t const process = ::fork();
    if (process == 0) {
      ::alarm(20);
      ::_exit(child(context, vector, backend));
    }
    int status = 0;
    ASSERT_EQ(::waitpid(process, &status, 0), process);
    EXPECT_TRUE(WIFEXITED(status)) << backend << " was ended by signal " << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 0) << backend;
    // The parent goes on.
    std::vector<double> values(12);
    EXPECT_EQ(hyperplane_vector_get(vector, values.data(), 12, HYPERPLANE_HOST), HYPERPLANE_SUCCESS);
    EXPECT_EQ(values[0], 1.0);
    EXPECT_EQ(hyperplane_free(vector), HYPERPLANE_SUCCESS);
    EXPECT_EQ(hyperplane_free(context), HYPERPLANE_SUCCESS);
  }
  EXPECT_EQ(hyperplane_finalize(), HYPERPLANE_SUCCESS);
}

}  // namespace
