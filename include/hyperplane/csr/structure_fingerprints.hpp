// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/launch.hpp>

#include <Kokkos_Core.hpp>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

/// Whether the arrays of a BlockCsr, which their owner may write to, have the structure that they had: offsets and
/// columns are cut into pieces of some hundred numbers, each of which has a fingerprint.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// 64 bits that follow from numbers and their order; others have the same ones by chance alone. In arithmetic of 32
/// bits, of which vectors have many, and without a number that waits for the one before.
template <std::int64_t length, std::integral T>
KOKKOS_FORCEINLINE_FUNCTION std::uint64_t fingerprint_of(const T* values, std::int64_t count) {
  std::uint32_t first = 0, second = 0;
  auto const add = [&](std::int64_t e) {
    auto mixed = static_cast<std::uint32_t>(values[e]) * 0xcc9e2d51u + static_cast<std::uint32_t>(e) * 0x9e3779b9u;
    if constexpr (sizeof(T) > sizeof(mixed)) mixed += static_cast<std::uint32_t>(values[e] >> 32) * 0x1b873593u;
    mixed = (mixed ^ mixed >> 16) * 0x85ebca6bu;
    mixed ^= mixed >> 13;
    first += mixed;
    mixed *= 0xc2b2ae35u;
    second += mixed ^ mixed >> 16;
  };
  if (count == length) {
    for (std::int64_t e = 0; e < length; ++e) add(e);
  } else {
    for (std::int64_t e = 0; e < count; ++e) add(e);
  }
  return static_cast<std::uint64_t>(first) << 32 | second;
}

/// The pieces of a structure, those of columns first, and the fingerprints of as many.
template <std::int64_t length, std::integral Offset>
struct CsrStructurePieces {
  const Offset* m_offsets;
  const int* m_columns;
  std::int64_t m_offset_count;
  std::int64_t m_blocks;
  std::uint64_t* m_fingerprints;

  KOKKOS_FUNCTION static std::int64_t pieces_of(std::int64_t numbers) { return (numbers + length - 1) / length; }
  KOKKOS_FUNCTION std::int64_t of_columns() const { return pieces_of(m_blocks); }
  KOKKOS_FUNCTION std::int64_t count() const { return of_columns() + pieces_of(m_offset_count); }
  KOKKOS_FUNCTION bool has_columns(std::int64_t piece) const { return piece < of_columns(); }
  /// The number of its first block, or of its first offset.
  KOKKOS_FUNCTION std::int64_t begin(std::int64_t piece) const {
    return (has_columns(piece) ? piece : piece - of_columns()) * length;
  }
  KOKKOS_FUNCTION bool differs(std::int64_t piece) const { return fingerprint(piece) != m_fingerprints[piece]; }
  /// Keeps what the piece is now.
  KOKKOS_FUNCTION void operator()(std::int64_t piece) const { m_fingerprints[piece] = fingerprint(piece); }

 private:
  KOKKOS_FUNCTION std::uint64_t fingerprint(std::int64_t piece) const {
    auto const from = begin(piece);
    auto const left = [&](std::int64_t size) { return size - from < length ? size - from : length; };
    if (has_columns(piece)) return fingerprint_of<length>(m_columns + from, left(m_blocks));
    return fingerprint_of<length>(m_offsets + from, left(m_offset_count));
  }
};

/// The first piece that differs; a reduction.
template <class Pieces>
struct FindOtherPiece {
  Pieces m_pieces;

  KOKKOS_FUNCTION void operator()(std::int64_t piece, std::int64_t& first) const {
    if (piece < first && m_pieces.differs(piece)) first = piece;
  }
};

template <ExecutionSpace Exec, std::integral Offset>
class StructureFingerprints {
  /// Threads of a device that follow one another read numbers that nearly do.
  static constexpr std::int64_t length = HostExecutionSpace<Exec> ? 256 : 8;

 public:
  using Pieces = CsrStructurePieces<length, Offset>;
  /// What it takes to compare a piece.
  static constexpr double bytes = sizeof(int) * length + sizeof(std::uint64_t);

  /// Asynchronous. Memory: on hosts a 32nd byte per block, elsewhere a byte, and as much per point.
  template <class Offsets, class Columns>
  StructureFingerprints(const Exec& exec, const Offsets& offsets, const Columns& columns)
      : m_values(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "Hyperplane::StructureFingerprints"),
                 static_cast<std::size_t>(pieces_of(offsets, columns, nullptr).count())) {
    auto const pieces = pieces_of(offsets, columns, m_values.data());
    launch("Hyperplane::StructureFingerprints", LongIndexRange<Exec>(exec, 0, pieces.count()), bytes, pieces);
  }

  /// Of a matrix with as many rows and blocks.
  template <class Matrix>
  Pieces pieces(const Matrix& a) const {
    return pieces_of(a.offsets(), a.columns(), m_values.data());
  }

  /// Where it has another structure, in words; or nothing. Waits for the instance.
  template <class Matrix>
  std::optional<std::string> find_difference(const Exec& exec, const Matrix& a) const {
    constexpr auto none = std::numeric_limits<std::int64_t>::max();
    auto const of = pieces(a);
    auto first = none;
    Kokkos::parallel_reduce("Hyperplane::StructureFingerprints::compare",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, of.count()),
                            FindOtherPiece<Pieces>{of}, Kokkos::Min<std::int64_t>(first));
    if (first == none) return std::nullopt;
    auto const begin = of.begin(first);
    auto const end = std::min(begin + length, of.has_columns(first) ? a.blocks() : a.rows() + 1);
    return std::string(of.has_columns(first) ? "columns" : "offsets") + " " + std::to_string(begin) + " to " +
           std::to_string(end - 1);
  }

 private:
  template <class Offsets, class Columns>
  static Pieces pieces_of(const Offsets& offsets, const Columns& columns, std::uint64_t* fingerprints) {
    return {offsets.data(), columns.data(), static_cast<std::int64_t>(offsets.extent(0)),
            static_cast<std::int64_t>(columns.extent(0)), fingerprints};
  }

  Kokkos::View<std::uint64_t*, typename Exec::memory_space> m_values;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
