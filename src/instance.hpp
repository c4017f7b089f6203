// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/error.hpp>

#include <string>

namespace hyperplane::run_time {

/// What objects of a context share.
template <class Exec>
struct Instance {
  Exec exec;
  const void* context;  ///< to tell contexts apart
};

[[noreturn]] inline void refuse(const std::string& function, const std::string& argument, const std::string& why) {
  throw Error(function + ": " + argument + " " + why);
}

}  // namespace hyperplane::run_time
