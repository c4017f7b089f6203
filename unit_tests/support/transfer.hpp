// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <hyperplane/stencil/block_stencil7.hpp>
#include <hyperplane/stencil/block_vector.hpp>
#include <hyperplane/stencil/convert.hpp>
#include <vector>

#include "serial_reference.hpp"
#include "views.hpp"

namespace hyperplane::test {

/// A BlockVector with the values of a host vector (row = point * n + c).
template <class Scalar, int n, class Exec>
BlockVector<Scalar, n, Exec> to_device(const Exec& exec, const Grid& grid, const std::vector<double>& values) {
  BlockVector<Scalar, n, Exec> result(exec, grid);
  pack(exec, to_view<Scalar>(exec, values), result);
  exec.fence();
  return result;
}

template <class Scalar, int n, class Exec>
std::vector<double> to_host(const Exec& exec, const BlockVector<Scalar, n, Exec>& vector) {
  Kokkos::View<Scalar*, typename Exec::memory_space> const rows(Kokkos::view_alloc(exec, "rows"),
                                                                vector.grid().size() * n);
  unpack(exec, vector, rows);
  return to_host(rows);
}

template <class Scalar, int n, class Storage, class Exec>
BlockStencil7<Scalar, n, Exec, Storage> to_device(const Exec& exec, const ReferenceStencil& a) {
  BlockStencil7<Scalar, n, Exec, Storage> result(exec, a.grid);
  // Filled entry after entry: where bounds are checked, each access by four indices takes as long as much of a sweep.
  Kokkos::View<Storage****, Kokkos::LayoutRight, Exec> const blocks(Kokkos::view_alloc(exec, "blocks"), a.grid.size(),
                                                                    stencil7_size, n, n);
  auto const host = Kokkos::create_mirror_view(blocks);
  auto* entry = host.data();
  for (auto const& of_point : a.blocks) {
    for (auto const& block : of_point) entry = std::copy(block.entries.begin(), block.entries.end(), entry);
  }
  Kokkos::deep_copy(exec, blocks, host);
  pack(exec, blocks, result);
  exec.fence();
  return result;
}

}  // namespace hyperplane::test
