// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "launch.hpp"

#include <array>
#include <cstdlib>

namespace hyperplane::tools {

namespace {

struct Variables {
  const char* count;
  const char* rank;
};
constexpr std::array known{Variables{"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
                           Variables{"PMI_SIZE", "PMI_RANK"}};
/// Of launchers that do not say how many processes there are.
constexpr const char* pmix_rank = "PMIX_RANK";

bool is_zero(const char* variable) {
  const char* const text = std::getenv(variable);
  return text != nullptr && std::atoi(text) == 0;
}

}  // namespace

Launch find_launch() {
  for (auto const& [count, rank] : known) {
    if (const char* const text = std::getenv(count)) return {count, std::atoi(text) > 1, is_zero(rank)};
  }
  if (std::getenv(pmix_rank) != nullptr) return {pmix_rank, true, is_zero(pmix_rank)};
  return {};
}

}  // namespace hyperplane::tools
