// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>

#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// A kernel along slabs that begins with another slab than the first one: of some slabs of a grid.
template <class Kernel>
struct FromSlab {
  Kernel m_kernel;
  int m_first;

  void operator()(int slab, std::int64_t begin, std::int64_t end) const { m_kernel(m_first + slab, begin, end); }
};
template <class Kernel>
FromSlab(Kernel, int) -> FromSlab<Kernel>;

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
