// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/grid_on_devices_cuda.hpp>
#include <hyperplane/stencil/block_stencil7.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A block matrix on the seven-point stencil of a GridOnDevices: each part has its rows as a BlockStencil7, in the
/// memory of its device. The blocks of points in its first layer that point to the bottom, and of those in its last one
/// that point to the top, are the couplings to the parts below and above.
///
/// A shared handle with the semantics of a Kokkos::View. The constructor allocates on the instances of the parts and
/// sets to zero; nothing else here allocates.
template <Real Scalar, int n, CudaExecutionSpace Exec, Real StorageScalar = Scalar>
class BlockStencil7OnDevices {
 public:
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  using Part = BlockStencil7<Scalar, n, Exec, StorageScalar>;
  static constexpr int block_size = n;
  static constexpr int vector_length = Part::vector_length;

  /// Allocates and sets to zero.
  BlockStencil7OnDevices(const Exec& exec, const GridOnDevices<Exec>& grid,
                         const std::string& label = "Hyperplane::BlockStencil7OnDevices")
      : m_grid(grid), m_parts(std::make_shared<std::vector<Part>>()) {
    m_grid.run(exec, [&](int p) { m_parts->emplace_back(m_grid.exec(p), m_grid.part(p), label); });
  }

  const GridOnDevices<Exec>& grid() const { return m_grid; }
  /// The rows of a part, a handle of the same values. What is launched on them is on the part's instance, or is over
  /// before something works on all parts.
  const Part& part(int p) const { return (*m_parts)[detail::as_size(p)]; }
  std::span<const Part> parts() const { return *m_parts; }

 private:
  GridOnDevices<Exec> m_grid;
  std::shared_ptr<std::vector<Part>> m_parts;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
