// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "library.hpp"

#include <hyperplane/core/dispatch.hpp>
#include <hyperplane/core/error.hpp>

namespace hyperplane::tools {

std::vector<std::string> split_list(std::string_view list, std::string_view separator) {
  std::vector<std::string> names;
  while (!list.empty()) {
    auto const length = list.find(separator);
    names.emplace_back(list.substr(0, length));
    list = length == std::string_view::npos ? "" : list.substr(length + separator.size());
  }
  return names;
}

std::vector<int> block_sizes() {
  std::vector<int> sizes;
  for (int n = 1; n <= max_block_size; ++n) {
    if (hyperplane_has_block_size(n) != 0) sizes.push_back(n);
  }
  return sizes;
}

std::string library_message() {
  std::string const message = hyperplane_last_error_message();
  return message.substr(message.find(": ") + 2);
}

void check(hyperplane_status status) {
  if (status != HYPERPLANE_SUCCESS) throw Error(library_message());
}

}  // namespace hyperplane::tools
