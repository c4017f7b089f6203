// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <hyperplane/csr/block_csr.hpp>

#include "csr_reference.hpp"
#include "views.hpp"

namespace hyperplane::test {

/// A matrix whose offsets and columns can be written to.
template <int n, class Exec, class Offset>
struct WritableCsr {
  Kokkos::View<Offset*, typename Exec::memory_space> offsets;
  Kokkos::View<int*, typename Exec::memory_space> columns;
  BlockCsr<double, n, Exec, double, Offset> matrix;

  WritableCsr(const Exec& exec, const ReferenceCsr& of)
      : offsets("offsets", of.offsets.size()),
        columns("columns", of.columns.size()),
        matrix(offsets, columns, to_device<double, n, double>(exec, of).values()) {
    write(exec, of);
  }
  void write(const Exec& exec, const ReferenceCsr& of) const {
    Kokkos::deep_copy(exec, offsets, to_view<Offset>(exec, {of.offsets.begin(), of.offsets.end()}));
    Kokkos::deep_copy(exec, columns, to_view<int>(exec, {of.columns.begin(), of.columns.end()}));
    exec.fence();
  }
};

}  // namespace hyperplane::test
