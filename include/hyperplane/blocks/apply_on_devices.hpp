// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/apply.hpp>
#include <hyperplane/blocks/apply_transposed.hpp>
#include <hyperplane/blocks/multi_block_grid_on_devices.hpp>
#include <hyperplane/blocks/multi_block_stencil7_on_devices.hpp>
#include <hyperplane/blocks/multi_block_vector_on_devices.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/stencil/not_finite.hpp>
#include <hyperplane/stencil/transposed_matrix.hpp>

#include <string>

namespace hyperplane::inline HYPERPLANE_ABI {

namespace detail {

/// product(p) for each part, where the arguments are on one grid and y is not x.
template <class Matrix, class Vector, class Product>
void run_products(const char* function, const typename Matrix::execution_space& exec, const Matrix& a, const Vector& b,
                  const Vector& x, const Vector& y, const Product& product) {
  check_grid_on_devices(function, "x", x.grid(), a.grid());
  check_grid_on_devices(function, "the result", y.grid(), a.grid());
  check_grid_on_devices(function, "b", b.grid(), a.grid());
  if (x.flat().data() == y.flat().data()) fail(std::string(function) + ": the result must not be x");
  a.grid().run(exec, product);
}

}  // namespace detail

/// y = A x over all grid blocks and their interfaces. x and y are different vectors on the grid of A, or Error is
/// thrown.
///
/// The result has the bits of apply() of a MultiBlockStencil7 on one device. On CUDA a launch for each part, whose
/// kernel reads donors on other devices where they are: n values for each point on an interface between devices come
/// over the link, while the rest is computed. No allocation, no fence on CUDA; asynchronous on the given instance, see
/// MultiBlockGridOnDevices.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void apply(const Exec& exec, const MultiBlockStencil7OnDevices<Scalar, n, Exec, Storage>& a,
           const MultiBlockVectorOnDevices<Scalar, n, Exec>& x, const MultiBlockVectorOnDevices<Scalar, n, Exec>& y) {
  detail::run_products("apply", exec, a, y, x, y, [&](int p) {
    detail::apply_blocks<false>(a.grid().exec(p), a.part(p), y.part(p), x.part(p), y.part(p));
  });
}

/// r = b - A x over all grid blocks and their interfaces. x and r are different vectors; r may be b. See apply().
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void residual(const Exec& exec, const MultiBlockStencil7OnDevices<Scalar, n, Exec, Storage>& a,
              const MultiBlockVectorOnDevices<Scalar, n, Exec>& b, const MultiBlockVectorOnDevices<Scalar, n, Exec>& x,
              const MultiBlockVectorOnDevices<Scalar, n, Exec>& r) {
  detail::run_products("residual", exec, a, b, x, r, [&](int p) {
    detail::apply_blocks<true>(a.grid().exec(p), a.part(p), b.part(p), x.part(p), r.part(p));
  });
}

/// y = A^T x over all grid blocks and their interfaces, of the blocks of A where they are. See apply(). The bits are
/// those of apply_transposed() of a MultiBlockStencil7. A launch for each grid block and one for the interfaces of each
/// part; across interfaces between devices come the blocks of donors, too: n^2 values for each point.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void apply_transposed(const Exec& exec, const MultiBlockStencil7OnDevices<Scalar, n, Exec, Storage>& a,
                      const MultiBlockVectorOnDevices<Scalar, n, Exec>& x,
                      const MultiBlockVectorOnDevices<Scalar, n, Exec>& y) {
  detail::run_products("apply_transposed", exec, a, y, x, y, [&](int p) {
    detail::apply_transposed_blocks<false>(a.grid().exec(p), a.part(p), y.part(p), x.part(p), y.part(p),
                                           a.transposed_coefficients(p));
  });
}

/// r = b - A^T x over all grid blocks and their interfaces. x and r are different vectors; r may be b. See
/// apply_transposed().
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
void residual_transposed(const Exec& exec, const MultiBlockStencil7OnDevices<Scalar, n, Exec, Storage>& a,
                         const MultiBlockVectorOnDevices<Scalar, n, Exec>& b,
                         const MultiBlockVectorOnDevices<Scalar, n, Exec>& x,
                         const MultiBlockVectorOnDevices<Scalar, n, Exec>& r) {
  detail::run_products("residual_transposed", exec, a, b, x, r, [&](int p) {
    detail::apply_transposed_blocks<true>(a.grid().exec(p), a.part(p), b.part(p), x.part(p), r.part(p),
                                          a.transposed_coefficients(p));
  });
}

/// A^T, as TransposedMatrix has it.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
TransposedMatrix<MultiBlockStencil7OnDevices<Scalar, n, Exec, Storage>> transposed(
    const MultiBlockStencil7OnDevices<Scalar, n, Exec, Storage>& a) {
  return TransposedMatrix<MultiBlockStencil7OnDevices<Scalar, n, Exec, Storage>>(a);
}

/// The first block of A that is not finite, in words, as that of a MultiBlockStencil7; empty where all are. Waits for
/// all instances.
template <class Scalar, int n, ExecutionSpace Exec, class Storage>
std::string describe_not_finite(const Exec& exec, const MultiBlockStencil7OnDevices<Scalar, n, Exec, Storage>& a) {
  auto const& grid = a.grid();
  exec.fence("Hyperplane: a matrix over devices is there");
  int first = grid.whole().block_count();
  std::string found;
  grid.for_parts([&](int p) {
    for (int const b : grid.blocks(p)) {
      if (b > first) break;
      auto const block = describe_not_finite(grid.exec(p), a.block(b));
      if (block.empty()) continue;
      first = b;
      found = "grid block " + std::to_string(b) + ": " + block;
      break;
    }
  });
  return found;
}

}  // namespace hyperplane::inline HYPERPLANE_ABI
