// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/blocks/block_packs.hpp>
#include <hyperplane/blocks/colouring.hpp>
#include <hyperplane/blocks/face_couplings.hpp>
#include <hyperplane/blocks/multi_block_grid.hpp>
#include <hyperplane/blocks/stages.hpp>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/grid/factor_status.hpp>
#include <hyperplane/grid/slab_map.hpp>
#include <hyperplane/grid/stencil7.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// What is wrong with couplings at interfaces.
struct FaceFailure {
  int rank = 0;        ///< of the colour
  bool upper = false;  ///< couplings to higher colours, which come after the grid blocks of the colour
  int block = 0;
  FactorStatus status{};
};

/// What others have of couplings: what RemoteColours has, whatever its types, or what is spread over parts of this
/// process (SpreadColours). Where this process has all in one part there is nothing.
struct RemoteLists {
  std::vector<std::vector<FaceCouplingEntry>> lower, upper;  ///< of each colour
  std::vector<FaceCoupling> reverses;                        ///< of couplings to lower colours
  std::size_t upper_reverses = 0;                            ///< so many of couplings to higher ones are kept here, too

  RemoteLists() = default;
  template <class Remote>
  explicit RemoteLists(const Remote* remote) {
    if (remote == nullptr) return;
    for (int colour = 0; colour < remote->colours(); ++colour) {
      lower.push_back(remote->lower(colour));
      upper.push_back(remote->upper(colour));
    }
    reverses = remote->reverses();
  }
};

/// The couplings between colours, as lists: what of ColouredCouplings does not depend on blocks, and is compiled once.
/// Colours are ranks here: 0, 1, ... without gaps.
template <ExecutionSpace Exec, int vector_length>
class ColourLists {
 public:
  /// `remote` is empty, or has all colours. Waits for the instance.
  ColourLists(const Exec& exec, const MultiBlockGrid& grid, const Colouring& colouring, RemoteLists remote)
      : m_grid(grid),
        m_own_packs(BlockPacks<vector_length>(grid).count()),
        m_record(exec, "Hyperplane::MultiBlock::status") {
    FaceCouplingList lower, upper;
    auto const& ranks = colouring.ranks;
    auto const stages = colouring.stages(grid);
    list_couplings(ranks, as_size(colouring.count), remote, lower, upper);
    m_lower_coefficients = lower.couplings.size() + remote.upper_reverses;
    m_lower = to_space(exec, lower);
    m_upper = to_space(exec, upper);
    for (int stage = 0; stage < stages.count(); ++stage) {
      m_lower_ranges.push_back(ranges(stages, stage, ranks, lower, m_lower_begin));
      m_upper_ranges.push_back(ranges(stages, stage, ranks, upper, m_upper_begin));
    }
    m_lower_list = std::move(lower);
    m_upper_list = std::move(upper);
  }
  /// The couplings of the lists on the host go: when their user has what is wanted of them.
  void forget_couplings() {
    m_lower_list.couplings = std::vector<FaceCoupling>();
    m_upper_list.couplings = std::vector<FaceCoupling>();
  }

  std::int64_t own_packs() const { return m_own_packs; }
  const SingularPivotRecord<Exec>& record() const { return m_record; }
  /// Couplings to lower colours, on the host.
  const FaceCouplingList& lower_list() const { return m_lower_list; }
  /// Couplings to higher colours, on the host, and behind them the reverses that other processes have. Points are in
  /// the order of the colours: upper_begin() has the first one of each.
  const FaceCouplingList& upper_list() const { return m_upper_list; }
  const std::vector<std::size_t>& upper_begin() const { return m_upper_begin; }
  /// Of so many couplings to lower colours coefficients are kept: its own, and behind them reverses that others have.
  std::size_t lower_coefficients() const { return m_lower_coefficients; }
  std::size_t lower_points() const { return m_lower_list.points.size(); }
  /// The reverses of couplings to lower colours.
  const FaceCoupling* reverses() const { return m_upper.couplings.data(); }

  /// The number of the coupling of a colour's point in a direction, among those to higher, or to lower colours. Before
  /// forget_couplings().
  int number(bool upper, int rank, const Slot& slot, Direction direction) const {
    auto const& begin = upper ? m_upper_begin : m_lower_begin;
    return find_coupling(upper ? m_upper_list : m_lower_list, begin[as_size(rank)], begin[as_size(rank) + 1], slot,
                         direction);
  }
  /// Couplings of other processes to points of these grid blocks, whose colours are `ranks`, with the numbers of the
  /// couplings back: those to higher, or to lower colours. Before forget_couplings().
  std::vector<FaceCoupling> with_reverses(std::vector<FaceCoupling> couplings, const std::vector<int>& ranks,
                                          bool upper) const {
    for (auto& coupling : couplings) {
      if (coupling.donor.pack == no_point) continue;
      coupling.reverse = number(upper, ranks[as_size(coupling.donor_block)], coupling.donor, coupling.back);
    }
    return couplings;
  }

  /// Points of a list that follow one another and are in one stage, of grid blocks with the same last stage.
  struct Range {
    std::size_t begin, end;
    std::int64_t first_number;  ///< see first_number()
    int last_stage;

    bool is_followed_by(const Range& next) const {
      return end == next.begin && last_stage == next.last_stage &&
             next.first_number - first_number == static_cast<std::int64_t>(next.begin - begin);
    }
  };
  /// The points of a stage with couplings to lower, or to higher colours.
  const std::vector<Range>& lower_ranges(int stage) const { return m_lower_ranges[as_size(stage)]; }
  const std::vector<Range>& upper_ranges(int stage) const { return m_upper_ranges[as_size(stage)]; }
  FacePart lower_part(const Range& range) const { return m_lower.part(range.begin, range.end); }
  FacePart upper_part(const Range& range) const { return m_upper.part(range.begin, range.end); }

  /// Points of colours one after the other, of each those with lower neighbours first.
  std::int64_t first_number(int rank, bool upper) const {
    auto const lower_points = m_lower_begin[std::min(as_size(rank) + (upper ? 1 : 0), m_lower_begin.size() - 1)];
    auto const upper_points = m_upper_begin[std::min(as_size(rank), m_upper_begin.size() - 1)];
    return static_cast<std::int64_t>(lower_points + upper_points);
  }

  /// The first coupling of the last factorization that is not finite or cannot be stored. Waits for the instance.
  std::optional<FaceFailure> failure(const Exec& exec) const {
    auto const found = m_record.find(exec);
    if (!found) return std::nullopt;
    FaceFailure result;
    while (found->number >= first_number(result.rank + 1, false)) ++result.rank;
    result.upper = found->number >= first_number(result.rank, true);
    auto const place = as_size(found->number - first_number(result.rank, result.upper));
    auto const rank = as_size(result.rank);
    auto const& point = result.upper ? m_upper_list.points[m_upper_begin[rank] + place]
                                     : m_lower_list.points[m_lower_begin[rank] + place];
    result.block = point.block;
    result.status.failure = found->finding.failure;
    SlabMap<vector_length>(m_grid.block(point.block)).find_point(point.pack, point.slot.lane, result.status.point);
    if (result.status.failure == FactorFailure::not_finite) {
      result.status.block = BlockPlace{result.status.point, static_cast<Direction>(found->finding.index)};
      result.status.points_out = true;
    }
    return result;
  }

 private:
  void list_couplings(const std::vector<int>& ranks, std::size_t count, RemoteLists& remote, FaceCouplingList& lower,
                      FaceCouplingList& upper) {
    BlockPacks<vector_length> const packs(m_grid);
    auto &to_lower = remote.lower, &to_higher = remote.upper;
    to_lower.resize(count);
    to_higher.resize(count);
    for (auto const& interface : m_grid.interfaces()) {
      int const own = ranks[as_size(interface.block)], other = ranks[as_size(interface.donor)];
      if (other == own) continue;
      append_entries(m_grid, packs, interface, (other < own ? to_lower : to_higher)[as_size(own)]);
    }
    for (std::size_t c = 0; c < count; ++c) {
      append_face_couplings(std::move(to_lower[c]), lower);
      append_face_couplings(std::move(to_higher[c]), upper);
      m_lower_begin.push_back(lower.points.size());
      m_upper_begin.push_back(upper.points.size());
    }
    find_reverses(ranks, remote, lower, upper);
  }

  /// The points that the pieces of a stage have in a list: in it points are by colour, then by their slots.
  std::vector<Range> ranges(const Stages& stages, int stage, const std::vector<int>& ranks,
                            const FaceCouplingList& list, const std::vector<std::size_t>& begins) const {
    BlockPacks<vector_length> const packs(m_grid);
    bool const upper = &begins == &m_upper_begin;
    std::vector<Range> result;
    for (auto const& [block, begin_j, end_j] : stages.pieces(stage)) {
      int const rank = ranks[as_size(block)];
      auto const begin = begins[as_size(rank)];
      auto const points = std::span(list.points).subspan(begin, begins[as_size(rank) + 1] - begin);
      SlabMap<vector_length> const map(m_grid.block(block));
      auto const place = [&](int j) {
        auto const pack = packs.first(block) + (j + vector_length - 1) / vector_length * map.steps();
        auto const found = std::ranges::lower_bound(points, pack, {}, [](const FacePoint& p) { return p.slot.pack; });
        return begin + static_cast<std::size_t>(found - points.begin());
      };
      Range range{place(begin_j), place(end_j), first_number(rank, upper), stages.last_of(block)};
      if (range.begin == range.end) continue;
      range.first_number += static_cast<std::int64_t>(range.begin - begin);
      if (!result.empty() && result.back().is_followed_by(range)) {
        result.back().end = range.end;
      } else {
        result.push_back(range);
      }
    }
    return result;
  }

  /// Whether a donor is a point of these grid blocks.
  bool is_own(const Slot& donor) const { return donor.pack >= 0 && donor.pack < m_own_packs; }

  /// All couplings to lower colours have their reverse, and so all to higher ones: interfaces are listed from both
  /// sides. Those that other processes have come after the list's own. Throws Error where there are too many.
  void find_reverses(const std::vector<int>& ranks, const RemoteLists& remote, FaceCouplingList& lower,
                     FaceCouplingList& upper) const {
    check_coupling_count(upper.couplings.size() + remote.reverses.size());
    check_coupling_count(lower.couplings.size() + remote.upper_reverses);
    int const own = static_cast<int>(upper.couplings.size()), own_lower = static_cast<int>(lower.couplings.size());
    for (auto& coupling : upper.couplings) {
      if (!is_own(coupling.donor)) coupling.reverse += own_lower;
    }
    for (auto const& point : lower.points) {
      for (int number = point.begin; number < point.end; ++number) {
        auto& coupling = lower.couplings[as_size(number)];
        if (!is_own(coupling.donor)) {
          coupling.reverse_begin += own;
          coupling.reverse_end += own;
          coupling.reverse += own;
          continue;
        }
        auto const rank = as_size(ranks[as_size(coupling.donor_block)]);
        auto const points = std::span<const FacePoint>(upper.points)
                                .subspan(m_upper_begin[rank], m_upper_begin[rank + 1] - m_upper_begin[rank]);
        auto const& donor = find_point(points, coupling.donor);
        coupling.reverse_begin = donor.begin;
        coupling.reverse_end = donor.end;
        // The other one, where the points are neighbours across two faces, has another direction.
        for (int reverse = donor.begin; reverse < donor.end; ++reverse) {
          auto& other = upper.couplings[as_size(reverse)];
          if (other.direction != coupling.back) continue;
          coupling.reverse = reverse;
          other.reverse = number;
        }
      }
    }
    upper.couplings.insert(upper.couplings.end(), remote.reverses.begin(), remote.reverses.end());
  }

  MultiBlockGrid m_grid;
  std::int64_t m_own_packs;
  SingularPivotRecord<Exec> m_record;
  FaceCouplings<Exec> m_lower, m_upper;
  FaceCouplingList m_lower_list, m_upper_list;  ///< on the host, for messages
  std::vector<std::size_t> m_lower_begin{0}, m_upper_begin{0};
  std::vector<std::vector<Range>> m_lower_ranges, m_upper_ranges;  ///< of each stage
  std::size_t m_lower_coefficients = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
