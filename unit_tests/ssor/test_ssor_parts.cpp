// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gtest/gtest.h>

#include <cstdint>
#include <hyperplane/core/half.hpp>
#include <hyperplane/simd/interleaved_view.hpp>
#include <hyperplane/ssor/detail/cut_faces.hpp>
#include <hyperplane/ssor/detail/ssor_factor.hpp>
#include <hyperplane/sweep/factor_units.hpp>
#include <hyperplane/sweep/sample_part.hpp>
#include <hyperplane/sweep/stencil_sample.hpp>
#include <vector>

#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

// Factors of the parts of a box that is cut along k, slot by slot on a host, have the bits of those of the whole box,
// and so have the units of factors in Half, which are chosen by a sample of all parts.
namespace hyperplane::test::ssor_parts {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
constexpr int n = 3;
constexpr int W = vector_length_v<double, Exec>;
using Matrix = BlockStencil7<double, n, Exec>;

template <class Storage>
struct Factors {
  SlabMap<W> map;
  InterleavedView<Storage, W, detail::lower_blocks * n * n, Exec> lower;
  InterleavedView<Storage, W, detail::upper_blocks * n * n, Exec> upper;
  detail::FactorUnits<Storage, n, W, Exec> units;
  detail::SingularPivotRecord<Exec> singular;

  Factors(const Exec& exec, const Grid& grid)
      : map(grid),
        lower(exec, "lower", map.pack_count()),
        upper(exec, "upper", map.pack_count()),
        units(exec, "test", map.pack_count()),
        singular(exec, "singular") {}
  auto ref() const { return detail::TriangularFactors<Storage, n, W>{map, lower.ref(), upper.ref(), units.ref()}; }

  template <class Outside>
  void compute(const Matrix& a, const Outside& outside) const {
    using Kernel = detail::SsorFactor<double, double, n, Exec, Storage, double, W, Outside>;
    Kernel const kernel{a.ref(), ref(), singular.ref(), 1.3, outside};
    for (std::int64_t slot = 0; slot < map.pack_count() * W; ++slot) kernel(slot);
  }
  /// All blocks of a point.
  std::vector<double> at(const Point& p) const {
    std::vector<double> result;
    auto const pack = map.pack(p.i, p.j, p.k);
    for (int e = 0; e < detail::lower_blocks * n * n; ++e)
      result.push_back(static_cast<double>(ref().lower(pack, detail::LowerBlock::bottom)[e * W + map.lane(p.j)]));
    for (int e = 0; e < detail::upper_blocks * n * n; ++e)
      result.push_back(static_cast<double>(ref().upper(pack, detail::UpperBlock::top)[e * W + map.lane(p.j)]));
    return result;
  }
};

/// Rows and columns in units that differ by far, and others in the upper half of the box.
ReferenceStencil in_units(ReferenceStencil a) {
  for (std::size_t point = 0; point < a.blocks.size(); ++point) {
    for (auto& block : a.blocks[point]) {
      for (int e = 0; e < n; ++e) {
        block(1, e) *= 1e6;
        block(e, 2) *= 2 * point < a.blocks.size() ? 1e-5 : 1e-9;
      }
    }
  }
  return a;
}

template <class Storage>
void expect_bits_of_whole(const Grid& box, int count) {
  Exec const exec;
  auto const system = in_units(random_stencil(box, n));
  auto const all = to_device<double, n, double>(exec, system);
  Factors<Storage> const whole(exec, box);
  whole.units.template choose<double>(exec, detail::StencilSample(all.ref()));
  whole.compute(all, detail::NoOutside());

  auto const slots = detail::sampled_slots(whole.map.pack_count(), W);
  std::vector<std::int16_t> exponents(static_cast<std::size_t>((slots + 1) * n * n));
  std::int16_t* const quartiles = exponents.data() + slots * n * n;
  std::vector<Matrix> a;
  std::vector<Factors<Storage>> parts;
  auto const first = [&](int p) { return box.nk() * p / count; };
  for (int p = 0; p < count; ++p) {
    a.push_back(to_device<double, n, double>(exec, layers_of(system, first(p), first(p + 1))));
    parts.emplace_back(exec, a.back().grid());
    detail::SamplePart<double, n, W> const sample{a.back().ref(), whole.map, first(p), slots, exponents.data()};
    for (std::int64_t slot = 0; slot < slots; ++slot) sample(slot);
  }
  detail::UpperQuartiles const find{slots, exponents.data(), quartiles};
  for (int e = 0; e < n * n; ++e) find(e);
  for (int p = 0; p < count; ++p) {
    auto const& part = parts[static_cast<std::size_t>(p)];
    if constexpr (detail::has_scales<Storage>) {
      if (p == 0) part.units.template choose_by<double>(exec, quartiles);
      detail::CopyUnits const copy{parts[0].units.ref().m_units, part.units.ref().m_units};
      for (int e = 0; p > 0 && e < detail::FactorScales<Storage, n, W>::units; ++e) copy(e);
    }
    part.compute(a[static_cast<std::size_t>(p)], detail::CutFaces{p > 0, p + 1 < count});
    Grid const grid = part.map.grid();
    for (std::int64_t number = 0; number < grid.size(); ++number) {
      Point const point = grid.point(number);
      ASSERT_EQ(part.at(point), whole.at({point.i, point.j, point.k + first(p)}))
          << to_string(box) << " in " << count << " parts, part " << p << ", point " << number;
    }
  }
}

TEST(SsorParts, factors_and_units_are_those_of_the_box) {
  for (auto const& box : {Grid(5, 4, 3), Grid(9, 10, 12), Grid(1, 33, 5), Grid(1, 1, 3)}) {
    for (int const count : {1, 2, 3}) {
      expect_bits_of_whole<double>(box, count);
      expect_bits_of_whole<float>(box, count);
      expect_bits_of_whole<Half>(box, count);
    }
  }
}

}  // namespace
}  // namespace hyperplane::test::ssor_parts
