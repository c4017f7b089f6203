// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/grid_on_devices_cuda.hpp>
#include <hyperplane/stencil/apply.hpp>
#include <hyperplane/stencil/block_stencil7_on_devices_cuda.hpp>
#include <hyperplane/stencil/block_vector_on_devices_cuda.hpp>
#include <hyperplane/stencil/detail/apply_cuda.hpp>
#include <hyperplane/stencil/detail/layers_beyond_cuda.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>
#include <hyperplane/stencil/not_finite.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// y = A x, or y = b - A x where there is b.
template <bool subtract, class Scalar, int n, class Exec, class Storage>
void apply_on_devices(const char* function, const char* label, const Exec& exec,
                      const BlockStencil7OnDevices<Scalar, n, Exec, Storage>& a,
                      const BlockVectorOnDevices<Scalar, n, Exec>& b, const BlockVectorOnDevices<Scalar, n, Exec>& x,
                      const BlockVectorOnDevices<Scalar, n, Exec>& y) {
  auto const& grid = a.grid();
  check_grid_on_devices(function, "x", x.grid(), grid);
  check_grid_on_devices(function, "the result", y.grid(), grid);
  if (subtract) check_grid_on_devices(function, "b", b.grid(), grid);
  if (x.flat().data() == y.flat().data()) fail(std::string(function) + ": the result must not be x");
  count_product<Scalar, n, Storage>(label, grid.box(), subtract);
  grid.run(exec, [&](int p) {
    bool const below = p > 0, above = p + 1 < grid.count();
    LayersBeyond<Scalar, n, BlockVector<Scalar, n, Exec>::vector_length> const beyond{
        x.part(below ? p - 1 : p).ref(), x.part(above ? p + 1 : p).ref(), below, above};
    apply_cuda<subtract, Scalar, n>(label, grid.exec(p), a.part(p).ref(), b.part(p).ref(), x.part(p).ref(),
                                    y.part(p).ref(), AllTerms(), beyond);
  });
}

}  // namespace detail

/// y = A x over all parts. x and y are different vectors on the grid of A, or Error is thrown.
///
/// The result has the bits of apply() of the whole box on one device. One launch for each part, whose kernel reads the
/// layers beyond its cuts where they are, in the memory of the devices beside it: n values for each point of a layer
/// come over the link, once, while the rest is computed. No allocation, no fence; asynchronous on the given instance,
/// see GridOnDevices.
template <class Scalar, int n, CudaExecutionSpace Exec, class Storage>
void apply(const Exec& exec, const BlockStencil7OnDevices<Scalar, n, Exec, Storage>& a,
           const BlockVectorOnDevices<Scalar, n, Exec>& x, const BlockVectorOnDevices<Scalar, n, Exec>& y) {
  detail::apply_on_devices<false>("apply", "Hyperplane::BlockStencil7::apply", exec, a, y, x, y);
}

/// r = b - A x over all parts. x and r are different vectors; r may be b. See apply().
template <class Scalar, int n, CudaExecutionSpace Exec, class Storage>
void residual(const Exec& exec, const BlockStencil7OnDevices<Scalar, n, Exec, Storage>& a,
              const BlockVectorOnDevices<Scalar, n, Exec>& b, const BlockVectorOnDevices<Scalar, n, Exec>& x,
              const BlockVectorOnDevices<Scalar, n, Exec>& r) {
  detail::apply_on_devices<true>("residual", "Hyperplane::BlockStencil7::residual", exec, a, b, x, r);
}

/// The first block of A that is not finite, in words, with the point of the box; empty where all are. Waits for all
/// instances.
template <class Scalar, int n, CudaExecutionSpace Exec, class Storage>
std::string describe_not_finite(const Exec& exec, const BlockStencil7OnDevices<Scalar, n, Exec, Storage>& a) {
  auto const& grid = a.grid();
  exec.fence("Hyperplane: a matrix over devices is there");
  std::string found;
  grid.for_parts([&](int p) {
    if (!found.empty()) return;
    auto block = detail::first_not_finite(grid.exec(p), a.part(p));
    if (!block) return;
    block->point.k += grid.first_layer(p);
    found = detail::describe_not_finite_block(*block, grid.box());
  });
  return found;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
