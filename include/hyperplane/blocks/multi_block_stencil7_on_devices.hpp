// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/couple.hpp>
#include <hyperplane/blocks/multi_block_grid_on_devices.hpp>
#include <hyperplane/blocks/multi_block_stencil7.hpp>
#include <hyperplane/blocks/multi_block_vector_on_devices.hpp>
#include <hyperplane/blocks/spread_slots.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/to_space.hpp>

#include <Kokkos_Core.hpp>

#include <memory>
#include <string>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI {

/// A block matrix on the seven-point stencil of a MultiBlockGridOnDevices: each grid block has its rows as a
/// BlockStencil7, in the memory of its device.
///
/// The block of a point that points out of its grid block is the coupling to the neighbour across the interface there,
/// whichever device has that one, see MultiBlockStencil7. A shared handle with the semantics of a Kokkos::View. The
/// constructor allocates on the instances of the parts, lists the points on interfaces on the host and waits for their
/// copies; nothing else here allocates. On CUDA, products with A^T read the memory of other devices, which has to be
/// accessible to them, as that of cudaMalloc is.
template <Real Scalar, int n, ExecutionSpace Exec, Real StorageScalar = Scalar>
class MultiBlockStencil7OnDevices {
 public:
  using scalar_type = Scalar;
  using storage_type = StorageScalar;
  using execution_space = Exec;
  using memory_space = typename Exec::memory_space;
  using Part = MultiBlockStencil7<Scalar, n, Exec, StorageScalar>;
  using Block = typename Part::Block;
  static constexpr int block_size = n;
  static constexpr int vector_length = Part::vector_length;
  using TransposedCoefficients = detail::TransposedCoefficientsOfBlocks<StorageScalar, n, vector_length>;

  /// Allocates and sets to zero. Waits for the instance unless that is one of CUDA.
  MultiBlockStencil7OnDevices(const Exec& exec, const MultiBlockGridOnDevices<Exec>& grid,
                              const std::string& label = "Hyperplane::MultiBlockStencil7OnDevices")
      : m_grid(grid), m_parts(std::make_shared<Parts>()) {
    detail::SpreadSlots<vector_length> const slots(grid.whole(), grid.owners(), detail::spread_layout<Scalar, n>(grid));
    m_grid.run(exec, [&](int p) {
      m_parts->rows.emplace_back(m_grid.exec(p), m_grid.part(p), slots.couplings(p), slots.numbers(p), label);
    });
    m_grid.run(exec, [&](int p) {
      std::vector<Matrix> matrices;
      for (int b = 0; b < m_grid.whole().block_count(); ++b) {
        matrices.push_back({block(b).flat().data(), slots.first_pack(b, p)});
      }
      m_parts->matrices.push_back(detail::to_space(m_grid.exec(p), label + "::matrices", matrices));
    });
  }

  const MultiBlockGridOnDevices<Exec>& grid() const { return m_grid; }
  /// The rows of a grid block, a handle of the same values. What is launched on them is on the instance of the grid
  /// block's part, or is over before something works on all parts.
  Block block(int number) const { return part(m_grid.owner(number)).block(m_grid.place(number)); }
  /// The rows of part p. Products with them are with parts of a MultiBlockVectorOnDevices, whose other parts they read.
  const Part& part(int p) const { return m_parts->rows[detail::as_size(p)]; }
  /// What a part's points have in products with A^T of the blocks of their donors, whichever device has these.
  TransposedCoefficients transposed_coefficients(int p) const { return {m_parts->matrices[detail::as_size(p)].data()}; }

 private:
  using Matrix = detail::MatrixOfBlock<StorageScalar>;
  struct Parts {
    std::vector<Part> rows;
    std::vector<Kokkos::View<Matrix*, memory_space>> matrices;  ///< of all grid blocks, as each part counts
  };

  MultiBlockGridOnDevices<Exec> m_grid;
  std::shared_ptr<Parts> m_parts;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI
