// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A function that somebody else owns, and that is called as f(arguments...): what takes one is compiled once, not for
/// each function. As std::function_ref of C++26, for functions that return nothing.
template <class... Arguments>
class FunctionRef {
 public:
  template <class F>
  FunctionRef(const F& f)  // NOLINT(google-explicit-constructor): a function is taken as it is
      : m_function(&f),
        m_call([](const void* function, Arguments... arguments) { (*static_cast<const F*>(function))(arguments...); }) {
  }

  void operator()(Arguments... arguments) const { m_call(m_function, arguments...); }

 private:
  const void* m_function;
  void (*m_call)(const void*, Arguments...);
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
