// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/cuda/launch.hpp>
#include <hyperplane/cuda/load_streamed.hpp>
#include <hyperplane/grid/slab_outside.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/block_stencil7_ref.hpp>
#include <hyperplane/stencil/block_vector_ref.hpp>
#include <hyperplane/stencil/detail/stencil_terms.hpp>

#include <cuda_runtime.h>

#include <cstdint>
#include <type_traits>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// y = A x, or y = b - A x, of the terms that are asked for, on CUDA: one thread for each equation of each slot of a
/// pack. Threads go through the lanes first, then the equations, so that the threads of a pack read a column of its
/// blocks in one piece, and the whole matrix once, whatever n is. Each value of x is read by n threads, from a cache:
/// the matrix is loaded as what will not be used again, so that x of the slabs beside stays in L2.
///
/// With A^T (`transposed`) a point takes the blocks that its neighbours have for it. Those of the lane beyond a slab
/// share a piece with others that the slab beside takes, so that CUDA blocks take the slabs in turns there.
///
/// Where the grid is a part of a box, or a grid block of several (LayersBeyond, or that of GroupedApplyCuda, for
/// Outside, or with A^T BlocksBeyond), points have neighbours outside of it. Their products have their place in the
/// sums.
///
/// Rounds as the portable kernels do.
template <bool subtract, class Scalar, int n, class Storage, int W, class Terms, bool transposed = false,
          class Outside = NoOutside>
struct ApplyCuda {
  /// Packs of a block: whole warps, 256 threads or little more; 512 for n = 16.
  static constexpr int packs = 32 / W * ((8 + n - 1) / n);
  static constexpr int threads = packs * n * W;
  /// With 64 registers per thread there are 1024 threads on a multiprocessor, of which each waits for several loads.
  static constexpr int resident_blocks = 1024 / threads;

  using Matrix = BlockStencil7Ref<Storage, n, W>;
  using Product = ProductScalar<Scalar, Storage>;
  /// Of A^T each block has a product of its own.
  using Sum = std::conditional_t<transposed, Scalar, Product>;
  static_assert(!(Matrix::has_units && (subtract || (transposed && Outside::exists))),
                "a copy of 16 bits has products alone, transposed ones of whole grids");

  Matrix m_a;
  BlockVectorRef<Scalar, n, W> m_b;
  BlockVectorRef<Scalar, n, W> m_x;
  BlockVectorRef<Scalar, n, W> m_y;
  Terms m_terms;
  Outside m_outside{};

  /// Blocks of a slab. (The matrix of a slab whose steps don't fit in an int would have more than 400 GB.)
  HYPERPLANE_FUNCTION int ranges() const { return (static_cast<int>(m_a.map().steps()) + packs - 1) / packs; }

  /// One of the map().slabs() * ranges() blocks.
  __device__ __forceinline__ void run(int block) const {
    auto const& map = m_a.map();
    auto const& grid = m_a.grid();
    int const thread = static_cast<int>(threadIdx.x);
    int const slab = transposed ? block % map.slabs() : block / ranges();
    int const range = transposed ? block / map.slabs() : block - slab * ranges();
    int const step = range * packs + thread / (n * W);
    int const r = thread / W % n, lane = thread % W;
    int const position = step - lane, pitch = static_cast<int>(map.pitch());
    int const k = position / pitch;
    Point const p{position - k * pitch, slab * W + lane, k};
    // Of padding nothing is written: it stays zero.
    if (position < 0 || !grid.contains(p)) return;

    auto const pack = map.first_pack(slab) + step;
    const Scalar* const x_here = m_x.packs().pack_data(pack) + lane;
    auto sum = static_cast<Sum>(subtract ? m_b.packs()(pack, r, lane) : Scalar(0));
    HYPERPLANE_UNROLL
    for (int d = 0; d < stencil7_size; ++d) {
      auto const direction = static_cast<Direction>(d);
      if (!m_terms.has(direction)) continue;
      // Loads need not wait for the answer: there is something to read in either case.
      bool exists = has_neighbour(p, direction);
      const Scalar* x = x_here + (exists ? map.distance(direction, lane, n) : 0);
      [[maybe_unused]] bool const inside = exists;
      if constexpr (Outside::exists) {
        if (const Scalar* const beyond = exists ? nullptr : m_outside.at(p, direction); beyond != nullptr) {
          x = beyond;
          exists = true;
        }
      }
      if constexpr (transposed) {
        auto const other = lane + (inside ? map.distance(direction, lane, Matrix::entries) : 0);
        const Storage* a = m_a.pack_block(pack, opposite(direction)) + other;
        if constexpr (Outside::exists) {
          if (exists && !inside) a = m_outside.block(p, direction);
        }
        auto const product = column_product(a + r * n * W, pack, other, x);
        if (exists) sum = subtract ? sum - product : sum + static_cast<Scalar>(product);
      } else {
        const Storage* const a = m_a.pack_block(pack, direction) + r * W + lane;
        HYPERPLANE_UNROLL
        for (int c = 0; c < n; ++c) {
          auto const a_c = static_cast<Product>(load_streamed(a + c * n * W));
          auto const x_c = static_cast<Product>(__ldg(x + c * W));
          Sum const next = subtract ? sum - a_c * x_c : sum + a_c * x_c;
          if (exists) sum = next;
        }
      }
    }
    if constexpr (Matrix::has_units && !transposed) {
      m_y.packs()(pack, r, lane) = m_a.template unit<Scalar>(pack, r, lane) * static_cast<Scalar>(sum);
    } else {
      m_y.packs()(pack, r, lane) = static_cast<Scalar>(sum);
    }
  }

  void launch(cudaStream_t stream) const;

 private:
  /// Column r of the block of a neighbour, whose units are that far from the first one of a pack, times its x.
  __device__ __forceinline__ Product column_product(const Storage* a, [[maybe_unused]] std::int64_t pack,
                                                    [[maybe_unused]] std::int64_t other, const Scalar* x) const {
    Product product = 0;
    HYPERPLANE_UNROLL
    for (int c = 0; c < n; ++c) {
      Scalar x_c = __ldg(x + c * W);
      if constexpr (Matrix::has_units) x_c *= Matrix::template unit<Scalar>(m_a.pack_units(pack)[other + c * W]);
      product += static_cast<Product>(load_streamed(a + c * W)) * static_cast<Product>(x_c);
    }
    return product;
  }

  __device__ __forceinline__ bool has_neighbour(const Point& p, Direction direction) const {
    auto const& grid = m_a.grid();
    switch (direction) {
      case Direction::bottom: return p.k > 0;
      case Direction::south: return p.j > 0;
      case Direction::west: return p.i > 0;
      case Direction::center: return true;
      case Direction::east: return p.i + 1 < grid.ni();
      case Direction::north: return p.j + 1 < grid.nj();
      case Direction::top: return p.k + 1 < grid.nk();
    }
    return false;
  }
};

template <class Kernel>
__global__ void __launch_bounds__(Kernel::threads, Kernel::resident_blocks)
    apply_cuda_kernel(const __grid_constant__ Kernel kernel) {
  cuda::wait_for_kernel_before();
  kernel.run(static_cast<int>(blockIdx.x));
}

template <bool subtract, class Scalar, int n, class Storage, int W, class Terms, bool transposed, class Outside>
void ApplyCuda<subtract, Scalar, n, Storage, W, Terms, transposed, Outside>::launch(cudaStream_t stream) const {
  cuda::launch(stream, apply_cuda_kernel<ApplyCuda>, m_a.map().slabs() * ranges(), threads, 0,
               Outside::exists ? cuda::Dependency::complete : cuda::Dependency::programmatic, *this);
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
