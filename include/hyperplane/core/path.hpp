// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace hyperplane {

/// How a solver runs. `automatic` takes the fastest path of the execution space; every other choice is taken at its
/// word, and throws Error where the execution space cannot run it.
enum class Path {
  automatic,
  portable,  ///< one launch for each hyperplane, one thread for each point; every execution space
  pencil,    ///< full SIMD vectors along skewed pencils, point-to-point progress words; host execution spaces
};

constexpr const char* name(Path path) {
  switch (path) {
    case Path::automatic: return "automatic";
    case Path::portable: return "portable";
    case Path::pencil: return "pencil";
  }
  return "unknown";
}

}  // namespace hyperplane
