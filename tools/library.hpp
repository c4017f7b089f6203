// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hyperplane::tools {

/// "serial, openmp" as {"serial", "openmp"}.
std::vector<std::string> split_list(std::string_view list, std::string_view separator = ", ");

/// The block sizes of the library.
std::vector<int> block_sizes();

/// What the last call that failed had to say, without the name of the function.
std::string library_message();

/// Throws Error where a call of the library failed.
void check(hyperplane_status status);

/// The library is ready while it lives.
class Library {
 public:
  Library() { check(hyperplane_initialize()); }
  ~Library() { hyperplane_finalize(); }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;
};

/// An object of the library with its owner.
template <class Handle>
class Owned {
 public:
  /// Of `create(arguments..., &handle)`.
  template <class... Parameters, class... Arguments>
  explicit Owned(hyperplane_status (*create)(Parameters...), Arguments&&... arguments) {
    check(create(std::forward<Arguments>(arguments)..., &m_handle));
  }
  /// Of an object that exists.
  explicit Owned(Handle handle) : m_handle(handle) {}
  ~Owned() { hyperplane_free(m_handle); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;

  Handle get() const { return m_handle; }
  /// Who calls it is the owner from now on.
  Handle release() { return std::exchange(m_handle, nullptr); }

 private:
  Handle m_handle = nullptr;
};

}  // namespace hyperplane::tools
