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
#include <hyperplane/stencil/transposed_matrix.hpp>

#include <Kokkos_Core.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// y = A x, or y = b - A x where there is b; with A^T the same.
template <bool subtract, bool transposed, class Scalar, int n, class Exec, class Storage>
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
    int const before = below ? p - 1 : p, after = above ? p + 1 : p;
    constexpr int W = BlockVector<Scalar, n, Exec>::vector_length;
    LayersBeyond<Scalar, n, W> const layers{x.part(before).ref(), x.part(after).ref(), below, above};
    auto const run = [&](const auto& beyond) {
      apply_cuda<subtract, Scalar, n, transposed>(label, grid.exec(p), a.part(p).ref(), b.part(p).ref(),
                                                  x.part(p).ref(), y.part(p).ref(), AllTerms(), beyond);
    };
    if constexpr (transposed) {
      run(BlocksBeyond<Scalar, Storage, n, W>{layers, a.part(before).ref(), a.part(after).ref()});
    } else {
      run(layers);
    }
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
  detail::apply_on_devices<false, false>("apply", "Hyperplane::BlockStencil7::apply", exec, a, y, x, y);
}

/// r = b - A x over all parts. x and r are different vectors; r may be b. See apply().
template <class Scalar, int n, CudaExecutionSpace Exec, class Storage>
void residual(const Exec& exec, const BlockStencil7OnDevices<Scalar, n, Exec, Storage>& a,
              const BlockVectorOnDevices<Scalar, n, Exec>& b, const BlockVectorOnDevices<Scalar, n, Exec>& x,
              const BlockVectorOnDevices<Scalar, n, Exec>& r) {
  detail::apply_on_devices<true, false>("residual", "Hyperplane::BlockStencil7::residual", exec, a, b, x, r);
}

/// y = A^T x over all parts, of the blocks of A where they are. See apply(). The bits are those of apply_transposed()
/// of the whole box on one device. Across a cut come the blocks that point to the part, too: n^2 values for each point
/// of a layer. The memory of A has to be accessible to the devices beside it, as that of cudaMalloc is.
template <class Scalar, int n, CudaExecutionSpace Exec, class Storage>
void apply_transposed(const Exec& exec, const BlockStencil7OnDevices<Scalar, n, Exec, Storage>& a,
                      const BlockVectorOnDevices<Scalar, n, Exec>& x, const BlockVectorOnDevices<Scalar, n, Exec>& y) {
  detail::apply_on_devices<false, true>("apply_transposed", "Hyperplane::BlockStencil7::apply_transposed", exec, a, y,
                                        x, y);
}

/// r = b - A^T x over all parts. x and r are different vectors; r may be b. See apply_transposed().
template <class Scalar, int n, CudaExecutionSpace Exec, class Storage>
void residual_transposed(const Exec& exec, const BlockStencil7OnDevices<Scalar, n, Exec, Storage>& a,
                         const BlockVectorOnDevices<Scalar, n, Exec>& b, const BlockVectorOnDevices<Scalar, n, Exec>& x,
                         const BlockVectorOnDevices<Scalar, n, Exec>& r) {
  detail::apply_on_devices<true, true>("residual_transposed", "Hyperplane::BlockStencil7::residual_transposed", exec, a,
                                       b, x, r);
}

/// A^T for Krylov methods, as TransposedMatrix has it.
template <class Scalar, int n, CudaExecutionSpace Exec, class Storage>
TransposedMatrix<BlockStencil7OnDevices<Scalar, n, Exec, Storage>> transposed(
    const BlockStencil7OnDevices<Scalar, n, Exec, Storage>& a) {
  return TransposedMatrix<BlockStencil7OnDevices<Scalar, n, Exec, Storage>>(a);
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
