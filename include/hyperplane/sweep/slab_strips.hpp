// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/concurrency.hpp>
#include <hyperplane/core/storage_real.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/host/slab_sweep.hpp>
#include <hyperplane/simd/pack_lanes.hpp>

#include <algorithm>
#include <cstdint>
#include <string>

/// Sweeps over the slabs of one grid on hosts, also by more threads than there are slabs.
///
/// Row k of a slab is its layer k: places d = 0, 1, ... are the steps k P + d, and lane l is at i = d - l. The last W -
/// 1 places of a row are the first ones of the next row, where some lanes are in one layer and some in the other. A
/// slab that is cut into strips has those steps in both rows, each time with the lanes of that row alone. So rows do
/// not depend on the ends of the rows before, and strips of one row can follow one another while other strips have
/// other rows: row k of a strip depends on row k - 1 of itself, and on row k of the strip before. The price is that a
/// row has P + W - 2 steps instead of P.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What a kernel runs of a slab, counted in the order in which the sweep takes it.
struct SlabPiece {
  std::int64_t rows = 1;  ///< of a slab, each of which is a chain of steps of its own; 1 if the whole slab is one
  std::int64_t row = 0;   ///< of them
  bool begins = false;    ///< its first steps are here

  std::int64_t chain(int counted_slab) const { return counted_slab * rows + row; }
};

/// Steps with all lanes.
struct EverySlabStep : SlabPiece {
  static constexpr EveryLane at(std::int64_t) { return {}; }
  static constexpr bool south_enters(std::int64_t) { return true; }
  static constexpr bool north_enters(std::int64_t) { return true; }
};

/// Steps with those lanes that are in a row. Of slots without a point, which lie between the rows, that of lane 0
/// belongs to the row before it, those of other lanes to the row behind. The first row and the last one also have what
/// is before and behind them.
template <int vector_length>
struct SlabRowSteps : SlabPiece {
  std::int64_t first_step;  ///< of the row
  std::int64_t pitch;
  bool lowest;
  bool highest;

  SomeLanes at(std::int64_t step) const {
    std::int64_t const place = step - first_step;
    if (place < 0) return {0, 0};
    bool const leaves = place >= pitch && !highest, enters = place < vector_length - 2 && !lowest;
    return {leaves ? static_cast<int>(place - pitch + 2) : 0, enters ? static_cast<int>(place + 2) : vector_length};
  }
  /// Whether lane 0 (the last lane) has a point here, so that its neighbour in the slab before (behind) is in this row.
  bool south_enters(std::int64_t step) const { return step - first_step < pitch - 1; }
  bool north_enters(std::int64_t step) const { return step - first_step >= vector_length - 1; }
};

/// How a slab is cut: each strip but the last has as many places of a row.
struct SlabStrips {
  int count = 1;
  std::int64_t places = 0;
  int block = 1;  ///< rows between two looks at the progress words
};

/// The time of a step with some lanes of values of a type, in units of one with all of them. Measured: 0.8 to 1 with
/// masks; lane by lane 1.9 to 5, less for larger blocks.
template <class Value>
inline constexpr double ragged_step = masked_lanes && !ShortReal<Value> ? 1.0 : 3.0;

/// Of a grid whose slabs do not occupy all threads; the fastest by a model that counts steps. Where `steps` steps of a
/// slab are done between two looks at the progress words, about as many are of a strip.
template <int vector_length>
SlabStrips choose_slab_strips(const SlabMap<vector_length>& map, int threads, int steps, double ragged) {
  constexpr int lag = vector_length - 1;
  // A slab is not cut for little.
  constexpr double least_gain = 1.2;
  SlabStrips best;
  if (threads <= map.slabs() || map.slabs() == 0) return best;
  double const rows = map.grid().nk(), slabs = map.slabs();
  double least = (rows * static_cast<double>(map.pitch()) + (slabs - 1) * (vector_length + steps)) / least_gain;
  std::int64_t const row = map.pitch() + lag;
  for (int count = 2; count <= std::min<std::int64_t>(2 * std::int64_t{threads}, row); ++count) {
    std::int64_t const places = (row + count - 1) / count;
    int const block = static_cast<int>(std::max<std::int64_t>(steps / places, 1));
    double const busy = std::min<double>(threads, slabs * count);
    double const cost = static_cast<double>(row - 1) + (ragged - 1) * 2 * lag;
    double const time = rows * cost * slabs / busy + (busy - 1) * static_cast<double>(block * places);
    if (time >= least) continue;
    least = time;
    best = {count, places, block};
  }
  return best;
}

/// Runs strips of a kernel, whose run(slab, begin, end, steps) takes slabs and steps in the order of its sweep.
template <class Kernel, int vector_length>
struct SlabStripKernel {
  Kernel m_kernel;
  SlabMap<vector_length> m_map;
  SlabStrips m_strips;
  static constexpr bool forward = Kernel::forward;

  void operator()(int slab, int strip, std::int64_t first_row, std::int64_t last_row) const {
    int const place = forward ? strip : m_strips.count - 1 - strip;
    for (auto row = first_row; row < last_row; ++row) run_row(slab, place * m_strips.places, row);
  }

 private:
  /// The strip that begins at a place, in one of the rows, which are counted in the order of the sweep.
  void run_row(int slab, std::int64_t strip_begin, std::int64_t row) const {
    constexpr int lag = vector_length - 1;
    std::int64_t const rows = m_map.grid().nk(), pitch = m_map.pitch();
    std::int64_t const k = forward ? row : rows - 1 - row;
    bool const highest = k + 1 == rows;
    std::int64_t const last = pitch - 1 + lag + (highest ? 1 : 0);
    // All lanes are in the row between the second and the third.
    std::int64_t const bounds[4] = {0, lag, pitch - 1, last};
    for (int number = 0; number < 3; ++number) {
      int const part = forward ? number : 2 - number;
      auto const begin = std::max(bounds[part], strip_begin);
      auto const end = std::min(bounds[part + 1], strip_begin + m_strips.places);
      if (begin >= end) continue;
      SlabPiece const piece{rows, row, forward ? begin == 0 : end == last};
      auto const first = k * pitch + (forward ? begin : end);
      auto const counted = forward ? first : m_map.steps() - first;
      if (part == 1) {
        m_kernel.run(slab, counted, counted + end - begin, EverySlabStep{piece});
      } else {
        SlabRowSteps<vector_length> const steps{piece, k * pitch, pitch, k == 0, highest};
        m_kernel.run(slab, counted, counted + end - begin, steps);
      }
    }
  }
};

/// Sweeps over the slabs of a grid by a kernel that SlabStripKernel can run, and whose operator() takes a range of
/// steps of a slab.
template <HostExecutionSpace Exec, int vector_length>
class StripSweep {
 public:
  using Map = SlabMap<vector_length>;

  /// `steps` of a slab are done between two looks at the progress words; `ragged` is the ragged_step of the values that
  /// are read and written by lanes.
  StripSweep(const Exec& exec, const std::string& label, const Map& map, int steps, double ragged)
      : m_map(map),
        m_strips(choose_slab_strips(map, concurrency_of(exec), steps, ragged)),
        m_sweep(cut() ? host::SlabSweep<Exec>(exec, label, map.slabs(), map.steps(), host_strips())
                      : host::SlabSweep<Exec>(exec, label, map.slabs(), map.steps(), vector_length - 1, steps)) {}

  /// SlabPiece::chain() is less than this.
  std::int64_t chains() const { return std::int64_t{m_map.slabs()} * (cut() ? m_map.grid().nk() : 1); }

  /// A step of a slab moves about as many bytes.
  template <class Kernel>
  void run(const Exec& exec, const std::string& label, double bytes, const Kernel& kernel) const {
    if (!cut()) return m_sweep.run(exec, label, bytes, kernel);
    auto const alone = [&] {
      for (int slab = 0; slab < m_map.slabs(); ++slab) kernel(slab, 0, m_map.steps());
    };
    m_sweep.run_strips(exec, label, bytes, SlabStripKernel<Kernel, vector_length>{kernel, m_map, m_strips}, alone);
  }

 private:
  bool cut() const { return m_strips.count > 1; }
  typename host::SlabSweep<Exec>::Strips host_strips() const {
    // A step needs one of the slab before that is vector_length - 1 places farther.
    auto const reach = (vector_length - 1 + m_strips.places - 1) / m_strips.places;
    return {m_strips.count, static_cast<int>(reach), m_map.grid().nk(), m_strips.block};
  }

  Map m_map;
  SlabStrips m_strips;
  host::SlabSweep<Exec> m_sweep;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
