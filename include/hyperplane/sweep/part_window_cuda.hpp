// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/macros.hpp>
#include <hyperplane/cuda/packet.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/sweep/factor_scales.hpp>

#include <cstddef>
#include <cstdint>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Where the sweeps of a part of a box meet those of the parts below and above it, on other devices; null where there
/// is none.
template <class Packet>
struct CudaPartPackets {
  Packet* received = nullptr;  ///< in the window of this part
  Packet* below = nullptr;     ///< in that of the part below, for the backward sweep
  Packet* above = nullptr;     ///< in that of the part above, for the forward sweep
};

/// The same of factorizations, whose values go upwards alone.
template <class Storage>
struct CudaPartBlocks {
  const Storage* received = nullptr;        ///< null: nothing is below
  const std::uint64_t* progress = nullptr;  ///< of `received`
  Storage* above = nullptr;                 ///< null: nothing is above
  std::uint64_t* progress_above = nullptr;
  const std::uint64_t* read_above = nullptr;  ///< factorizations whose blocks the part above has read
  std::uint64_t* read = nullptr;              ///< the same of this part, in the window of the part below
  std::uint64_t factorization = 0;            ///< its number, counted from 1
};

/// A word of CudaPartWindow::progress(): a factorization, and the steps that it has done.
HYPERPLANE_FUNCTION constexpr std::uint64_t cuda_part_progress(std::uint64_t factorization, int steps) {
  return factorization << 32 | static_cast<std::uint32_t>(steps);
}
/// Its steps, or 0 where it is of another factorization.
HYPERPLANE_FUNCTION constexpr int cuda_part_steps(std::uint64_t word, std::uint64_t factorization) {
  return word >> 32 == (factorization & 0xffffffffu) ? static_cast<int>(word & 0xffffffffu) : 0;
}

/// The blocks that a part has received, d^-1 T of the layer below, as neighbours outside of its grid; of those above it
/// is known that they are there.
template <class Storage, int n, int vector_length>
struct CudaBlocksBelow {
  static constexpr bool exists = true;
  using Scales = FactorScales<Storage, n, vector_length>;

  const Storage* m_blocks;  ///< as in CudaPartWindow; null: nothing is below
  bool m_has_above;
  SlabMap<vector_length> m_map;
  Scales m_scales;

  HYPERPLANE_FUNCTION const CudaBlocksBelow& values() const { return *this; }
  /// That of the neighbour of a point on a face, or -1.
  HYPERPLANE_FUNCTION int number(Direction direction, const Point& p) const {
    bool const has = direction == Direction::bottom ? m_blocks != nullptr : direction == Direction::top && m_has_above;
    if (!has) return -1;
    int const steps = m_map.grid().ni() + vector_length - 1;
    int const lane = m_map.lane(p.j);
    return (p.j / vector_length * steps + p.i + lane) * vector_length + lane;
  }
  /// Entry e of its block, which is below, not in units.
  HYPERPLANE_FUNCTION auto operator()(int number, int e) const {
    std::int64_t const group = number / vector_length;
    auto const& stored = m_blocks[(group * (n * n) + e) * vector_length + number % vector_length];
    if constexpr (Scales::exist) {
      return static_cast<double>(stored) * m_scales.upper()[e];
    } else {
      return stored;
    }
  }
};

/// Memory of the device that has a part of a box, into which the devices with the parts below and above write what the
/// first layer of a sweep needs. Parts of a box have as many points along i and j, so that the window of a neighbour
/// has the same places.
///
/// One place does for packets of both sweeps and of all solves: the part above sends x only when it has finished its
/// forward sweep, so this part has finished its own and read all y; and the part below sends the y of the next solve
/// when it has finished its backward sweep, so that this part has read all x. Stamps tell them apart.
template <class Scalar, int n, class Storage, int vector_length>
class CudaPartWindow {
 public:
  using Packet = cuda::Packet<Scalar>;
  using Map = SlabMap<vector_length>;

  /// The memory of a window, or null.
  CudaPartWindow(std::byte* memory, const Map& map)
      : m_memory(memory), m_rows(rows(map)), m_slabs(as_size(map.slabs())) {}

  static std::size_t bytes(const Map& map) { return CudaPartWindow(nullptr, map).read_begin() + sizeof(std::uint64_t); }
  /// Of one in which nothing but packets comes.
  static std::size_t packet_bytes(const Map& map) { return CudaPartWindow(nullptr, map).blocks_begin(); }

  explicit operator bool() const { return m_memory != nullptr; }
  /// [slab][step][n][lane]: y of the layer below, or x of the layer above.
  Packet* packets() const { return at<Packet>(0); }
  /// [slab][step][n * n][lane]: d^-1 T of the layer below.
  Storage* blocks() const { return at<Storage>(blocks_begin()); }
  /// [slab]: how many steps of the blocks are there, and of which factorization, see cuda_part_progress().
  std::uint64_t* progress() const { return at<std::uint64_t>(progress_begin()); }
  /// How many factorizations the part above has read all blocks of.
  std::uint64_t* read() const { return at<std::uint64_t>(read_begin()); }

 private:
  static std::size_t rows(const Map& map) {
    return as_size(map.slabs()) * as_size(map.grid().ni() + vector_length - 1);
  }
  static constexpr std::size_t padded(std::size_t bytes) { return (bytes + 127) / 128 * 128; }

  std::size_t blocks_begin() const { return padded(m_rows * n * vector_length * sizeof(Packet)); }
  std::size_t progress_begin() const {
    return blocks_begin() + padded(m_rows * n * n * vector_length * sizeof(Storage));
  }
  std::size_t read_begin() const { return progress_begin() + padded(m_slabs * sizeof(std::uint64_t)); }

  template <class T>
  T* at(std::size_t begin) const {
    return m_memory == nullptr ? nullptr : reinterpret_cast<T*>(m_memory + begin);
  }

  std::byte* m_memory;
  std::size_t m_rows;
  std::size_t m_slabs;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
