// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Says for as long as it lives that an object and its copies solve.
class Solving {
 public:
  Solving(std::atomic<bool>& flag, const std::string& object) : m_flag(flag) {
    if (m_flag.exchange(true)) {
      fail(object + ": is solving already: neither its monitor nor a second thread may use it meanwhile");
    }
  }
  ~Solving() { m_flag = false; }
  Solving(const Solving&) = delete;
  Solving& operator=(const Solving&) = delete;

 private:
  std::atomic<bool>& m_flag;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
