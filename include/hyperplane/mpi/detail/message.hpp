// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <cstdint>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Values that go to a rank, or come from it: some items of a buffer, one after the other.
struct Message {
  int rank = 0;
  std::int64_t first = 0;
  std::int64_t items = 0;
};

/// Items of a message list.
inline std::int64_t item_count(const std::vector<Message>& messages) {
  return messages.empty() ? 0 : messages.back().first + messages.back().items;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
