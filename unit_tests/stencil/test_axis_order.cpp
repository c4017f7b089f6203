// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <hyperplane/stencil/convert.hpp>
#include <limits>
#include <string>
#include <vector>

#include "support/execution_spaces.hpp"
#include "support/matchers.hpp"
#include "support/serial_reference.hpp"
#include "support/transfer.hpp"

namespace hyperplane::test {
namespace {

using Kokkos::LayoutLeft, Kokkos::LayoutRight, Kokkos::LayoutStride;

template <class Exec>
class AxisOrders : public ::testing::Test {};
TYPED_TEST_SUITE(AxisOrders, ExecutionSpaces, SpaceNames);

constexpr double untouched = -7.0;

/// The order of axes has no default.
template <class Options>
concept WithoutAxes = requires { Options{.ghost_layers = 2}; };
template <class Options>
concept WithoutGhostLayers = requires { Options{.axes = AxisOrder::kji}; };
static_assert(!WithoutAxes<ArrayOptions> && WithoutGhostLayers<ArrayOptions>);

/// Cubes, whose extents do not tell their axes apart; thin and odd grids.
std::vector<Grid> const grids{{8, 8, 8}, {5, 11, 3}, {1, 1, 1}, {6, 1, 1}, {1, 9, 1}, {1, 1, 4}, {5, 1, 7}, {2, 2, 17}};
std::vector<GhostLayers> const ghost_layers{0, 1, 2, 3, {2, 1, 0}, {0, 0, 3}};

/// Extents of an array, and what a place in it holds.
struct Array {
  Grid grid;
  ArrayOptions options;

  std::array<int, 3> extents() const {
    auto const& layers = options.ghost_layers;
    std::array<int, 3> const along{grid.ni() + 2 * layers.i, grid.nj() + 2 * layers.j, grid.nk() + 2 * layers.k};
    return options.axes == AxisOrder::ijk ? along : std::array<int, 3>{along[2], along[1], along[0]};
  }

  /// The point, inside the grid or not.
  Point point(int first, int second, int third) const {
    auto const& layers = options.ghost_layers;
    bool const ijk = options.axes == AxisOrder::ijk;
    return {(ijk ? first : third) - layers.i, second - layers.j, (ijk ? third : first) - layers.k};
  }
};

/// f(Point, first, second, third) for all places of an array.
template <class F>
void for_each_place(const Array& array, const F& f) {
  auto const extents = array.extents();
  for (int first = 0; first < extents[0]; ++first) {
    for (int second = 0; second < extents[1]; ++second) {
      for (int third = 0; third < extents[2]; ++third) {
        f(array.point(first, second, third), first, second, third);
      }
    }
  }
}

template <class F>
void for_each_array(const F& f) {
  for (auto const& grid : grids) {
    for (auto const axes : {AxisOrder::ijk, AxisOrder::kji}) {
      for (auto const& layers : ghost_layers) {
        SCOPED_TRACE(to_string(grid) + (axes == AxisOrder::ijk ? " ijk " : " kji ") + std::to_string(layers.i) +
                     std::to_string(layers.j) + std::to_string(layers.k));
        f(Array{grid, {.axes = axes, .ghost_layers = layers}});
      }
    }
  }
}

/// The layout of an array without gaps whose second index is fastest, and the last slowest.
template <class Layout, std::size_t rank>
Layout layout(const std::array<int, rank>& extents) {
  Layout result;
  for (std::size_t d = 0; d < rank; ++d) result.dimension[d] = static_cast<std::size_t>(extents[d]);
  if constexpr (std::is_same_v<Layout, LayoutStride>) {
    std::size_t stride = 1;
    for (std::size_t turn = 0; turn < rank; ++turn) {
      auto const d = turn < 2 ? 1 - turn : turn;
      result.stride[d] = stride;
      stride *= result.dimension[d];
    }
  }
  return result;
}

/// unpack() puts every value where it belongs and leaves ghost layers alone; pack() reads none of them.
template <int n, class View, class Exec>
void vector_there_and_back(const Exec& exec, const Array& array) {
  auto const extents = array.extents();
  View const view = [&] {
    if constexpr (View::rank() == 4) {
      return View("view", layout<typename View::array_layout, 4>({extents[0], extents[1], extents[2], n}));
    } else {
      return View("view", layout<typename View::array_layout, 3>(extents));
    }
  }();
  auto const host = Kokkos::create_mirror_view(view);
  auto const entry = [&](int first, int second, int third, [[maybe_unused]] int c) -> double& {
    if constexpr (View::rank() == 4) {
      return host(first, second, third, c);
    } else {
      return host(first, second, third);
    }
  };
  auto const values = random_vector(array.grid.size() * n);
  Kokkos::deep_copy(view, untouched);
  unpack(exec, to_device<double, n>(exec, array.grid, values), view, array.options);
  exec.fence();
  Kokkos::deep_copy(host, view);
  int wrong = 0;
  for_each_place(array, [&](const Point& p, int first, int second, int third) {
    for (int c = 0; c < n; ++c) {
      auto& value = entry(first, second, third, c);
      bool const inside = array.grid.contains(p);
      wrong += value == (inside ? values[static_cast<std::size_t>(array.grid.index(p) * n + c)] : untouched) ? 0 : 1;
      if (!inside) value = std::numeric_limits<double>::quiet_NaN();
    }
  });
  EXPECT_EQ(wrong, 0);

  Kokkos::deep_copy(view, host);
  BlockVector<double, n, Exec> const back(exec, array.grid);
  pack(exec, typename View::const_type(view), back, array.options);
  EXPECT_TRUE(bitwise_equal(to_host(exec, back), values));
}

TYPED_TEST(AxisOrders, of_vectors_in_every_layout) {
  TypeParam const exec;
  for_each_array([&](const Array& array) {
    vector_there_and_back<3, Kokkos::View<double****, LayoutLeft, TypeParam>>(exec, array);
    vector_there_and_back<3, Kokkos::View<double****, LayoutRight, TypeParam>>(exec, array);
    vector_there_and_back<3, Kokkos::View<double****, LayoutStride, TypeParam>>(exec, array);
    vector_there_and_back<1, Kokkos::View<double****, LayoutRight, TypeParam>>(exec, array);
    vector_there_and_back<1, Kokkos::View<double***, LayoutLeft, TypeParam>>(exec, array);
  });
}

/// The same of a matrix.
template <int n, class View, class Exec>
void stencil_there_and_back(const Exec& exec, const Array& array) {
  auto const extents = array.extents();
  View const view = [&] {
    using Layout = typename View::array_layout;
    if constexpr (View::rank() == 6) {
      return View("view", layout<Layout, 6>({extents[0], extents[1], extents[2], stencil7_size, n, n}));
    } else {
      return View("view", layout<Layout, 4>({extents[0], extents[1], extents[2], stencil7_size}));
    }
  }();
  auto const host = Kokkos::create_mirror_view(view);
  auto const entry = [&](int first, int second, int third, int d, [[maybe_unused]] int r,
                         [[maybe_unused]] int c) -> double& {
    if constexpr (View::rank() == 6) {
      return host(first, second, third, d, r, c);
    } else {
      return host(first, second, third, d);
    }
  };
  auto const reference = random_stencil(array.grid, n);
  auto const stencil = to_device<double, n, double>(exec, reference);
  Kokkos::deep_copy(view, untouched);
  unpack(exec, stencil, view, array.options);
  exec.fence();
  Kokkos::deep_copy(host, view);
  int wrong = 0;
  for_each_place(array, [&](const Point& p, int first, int second, int third) {
    bool const inside = array.grid.contains(p);
    for (auto const d : stencil7_directions) {
      for (int r = 0; r < n; ++r) {
        for (int c = 0; c < n; ++c) {
          auto& value = entry(first, second, third, static_cast<int>(d), r, c);
          wrong += value == (inside ? reference.block(array.grid.index(p), d)(r, c) : untouched) ? 0 : 1;
          if (!inside) value = std::numeric_limits<double>::quiet_NaN();
        }
      }
    }
  });
  EXPECT_EQ(wrong, 0);

  Kokkos::deep_copy(view, host);
  BlockStencil7<double, n, Exec> const back(exec, array.grid);
  pack(exec, typename View::const_type(view), back, array.options);
  exec.fence();
  auto const expected = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, stencil.flat());
  auto const found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, back.flat());
  for (std::size_t e = 0; e < expected.size(); ++e) ASSERT_EQ(found(e), expected(e));
}

TYPED_TEST(AxisOrders, of_matrices_in_every_layout) {
  TypeParam const exec;
  for_each_array([&](const Array& array) {
    stencil_there_and_back<2, Kokkos::View<double******, LayoutLeft, TypeParam>>(exec, array);
    stencil_there_and_back<2, Kokkos::View<double******, LayoutRight, TypeParam>>(exec, array);
    stencil_there_and_back<2, Kokkos::View<double******, LayoutStride, TypeParam>>(exec, array);
    stencil_there_and_back<1, Kokkos::View<double****, LayoutRight, TypeParam>>(exec, array);
  });
}

TYPED_TEST(AxisOrders, name_what_does_not_fit) {
  TypeParam const exec;
  Grid const grid(5, 8, 3);
  using View = Kokkos::View<double****, TypeParam>;
  BlockVector<double, 2, TypeParam> const vector(exec, grid);
  BlockStencil7<double, 1, TypeParam> const stencil(exec, grid);
  auto const message = [](const auto& f) {
    try {
      f();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_THAT(message([&] { pack(exec, View("velocity", 5, 8, 3, 2), vector, {.axes = AxisOrder::kji}); }),
              ::testing::HasSubstr("pack: extent 0 of view 'velocity' is 5, expected 3 (3 points along k and 0 ghost "
                                   "layers at either end)"));
  EXPECT_THAT(
      message([&] { unpack(exec, vector, View("velocity", 9, 8, 7, 2), {.axes = AxisOrder::ijk, .ghost_layers = 2}); }),
      ::testing::HasSubstr("unpack: extent 1 of view 'velocity' is 8, expected 12 (8 points along j and 2 ghost "
                           "layers at either end)"));
  EXPECT_THAT(message([&] { pack(exec, View("velocity", 3, 8, 5, 3), vector, {.axes = AxisOrder::kji}); }),
              ::testing::HasSubstr("pack: extent 3 of view 'velocity' is 3, expected 2"));
  EXPECT_THAT(message([&] { unpack(exec, stencil, View("a", 3, 8, 5, 6), {.axes = AxisOrder::kji}); }),
              ::testing::HasSubstr("unpack: extent 3 of view 'a' is 6, expected 7"));
  EXPECT_THAT(message([&] {
                pack(exec, View("a", 5, 6, 3, 7), stencil, {.axes = AxisOrder::ijk, .ghost_layers = {0, -1, 0}});
              }),
              ::testing::HasSubstr("pack: -1 ghost layers along j, expected 0 or more"));
}

}  // namespace
}  // namespace hyperplane::test
