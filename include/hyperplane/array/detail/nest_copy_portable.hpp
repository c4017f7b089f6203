// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/detail/for_each.hpp>
#include <hyperplane/array/detail/nest.hpp>
#include <hyperplane/array/detail/transposed_bands.hpp>
#include <hyperplane/array/run_range.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/macros.hpp>

#include <cstdint>
#include <string>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

template <class T>
struct CopyOp {
  static constexpr bool overwrites = true;
  HYPERPLANE_FUNCTION void operator()(const T& x, T& y) const { y = x; }
};

template <class T>
struct CopyBands {
  Nest<T, 2> m_nest;
  TransposedBands<T> m_bands;
  void operator()(std::int64_t index) const { m_bands.template run<true>(m_nest, index); }
};

/// How an execution space copies the first array of a nest to the second, which may run fastest in another direction.
template <ExecutionSpace Exec>
struct NestCopy {
  template <class T>
  static void run(const Exec& exec, const std::string& label, Nest<T, 2> nest) {
    if (nest.size() == 0) return;
    nest.normalize();
    if constexpr (HostExecutionSpace<Exec>) {
      TransposedBands<T> const bands(nest);
      if (bands.m_bands > 0) {
        return run_range(exec, label, bands.count(nest), 2.0 * sizeof(T) * static_cast<double>(nest.size()),
                         CopyBands<T>{nest, bands});
      }
    }
    for_each(exec, label, nest, CopyOp<T>{});
  }
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
