// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cstddef>
#include <cstdint>
#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/grid/grid.hpp>
#include <hyperplane/grid/stencil7.hpp>
#include <hyperplane/stencil/axis_order.hpp>
#include <string>
#include <type_traits>

/// Where a point is in a view: at its number, or at its indices along the axes.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// The first three indices of a view's values.
struct ArrayPlace {
  int first;
  int second;
  int third;
};

/// Points at the number that an order gives them.
template <class Order>
class NumberedPlaces {
 public:
  static constexpr bool by_axes = false;

  /// Throws Error where the order is one of another grid.
  NumberedPlaces(const char* function, const Order& order, const Grid& grid) : m_order(order) {
    if constexpr (requires { order.grid(); }) {
      check(function, order.grid(), grid);
    } else if constexpr (std::is_same_v<Order, Grid>) {
      check(function, order, grid);
    }
  }

  KOKKOS_FUNCTION std::int64_t at(const Point& p) const { return m_order.index(p); }

 private:
  static void check(const char* function, const Grid& ordered, const Grid& grid) {
    if (!(ordered == grid)) {
      fail(std::string(function) + ": the order is one of a grid of " + to_string(ordered) + " points, expected " +
           to_string(grid));
    }
  }

  Order m_order;
};

/// Points at their indices, in an array with layers around the grid.
class AxesPlaces {
 public:
  static constexpr bool by_axes = true;

  /// Throws Error where a number of layers is negative.
  AxesPlaces(const char* function, const ArrayOptions& options, const Grid& grid)
      : m_axes(options.axes),
        m_layers{options.ghost_layers.i, options.ghost_layers.j, options.ghost_layers.k},
        m_points{grid.ni(), grid.nj(), grid.nk()} {
    for (int axis = 0; axis < 3; ++axis) {
      if (m_layers[axis] < 0) {
        fail(std::string(function) + ": " + std::to_string(m_layers[axis]) + " ghost layers along " + "ijk"[axis] +
             ", expected 0 or more");
      }
    }
  }

  KOKKOS_FUNCTION ArrayPlace at(const Point& p) const {
    int const i = p.i + m_layers[0];
    int const j = p.j + m_layers[1];
    int const k = p.k + m_layers[2];
    return m_axes == AxisOrder::ijk ? ArrayPlace{i, j, k} : ArrayPlace{k, j, i};
  }

  std::int64_t extent(int index) const { return m_points[axis(index)] + 2 * std::int64_t{m_layers[axis(index)]}; }

  /// "8 points along k and 2 ghost layers at either end"
  std::string meaning(int index) const {
    return std::to_string(m_points[axis(index)]) + " points along " + "ijk"[axis(index)] + " and " +
           std::to_string(m_layers[axis(index)]) + " ghost layers at either end";
  }

 private:
  int axis(int index) const { return m_axes == AxisOrder::ijk ? index : 2 - index; }

  AxisOrder m_axes;
  int m_layers[3];
  int m_points[3];
};

/// The extents of a view's first indices, those of the point, and then of `others`. Throws Error where one is another.
template <class View, class Places, std::size_t count>
void check_extents(const char* function, const View& view, const Places& places, const Grid& grid,
                   const std::array<std::int64_t, count>& others) {
  constexpr std::size_t point_indices = View::rank() - count;
  for (std::size_t d = 0; d < View::rank(); ++d) {
    std::int64_t expected = 0;
    std::string meaning;
    if (d >= point_indices) {
      expected = others[d - point_indices];
    } else if constexpr (Places::by_axes) {
      expected = places.extent(static_cast<int>(d));
      meaning = " (" + places.meaning(static_cast<int>(d)) + ")";
    } else {
      expected = grid.size();
    }
    if (static_cast<std::int64_t>(view.extent(d)) != expected) {
      fail(std::string(function) + ": extent " + std::to_string(d) + " of view '" + view.label() + "' is " +
           std::to_string(view.extent(d)) + ", expected " + std::to_string(expected) + meaning);
    }
  }
}

/// Refuses views of a rank that is not a vector's; a class, so that this is the compiler's first error.
template <class View, int n, bool by_axes>
struct VectorView {
  static constexpr auto rank = View::rank();
  static_assert(by_axes || rank < 3,
                "say the order of the axes of an array: {.axes = AxisOrder::ijk} as the last argument of pack() or "
                "unpack() for a view (i, j, k, c), {.axes = AxisOrder::kji} for (k, j, i, c)");
  static_assert(by_axes || rank > 0, "a vector is viewed as (row), (point, c), or by axes as (i, j, k, c)");
  static_assert(!by_axes || rank == 4 || (rank == 3 && n == 1),
                "with AxisOrder::ijk a vector is viewed as (i, j, k, c), for n = 1 also as (i, j, k); with "
                "AxisOrder::kji as (k, j, i, c) or (k, j, i)");
  static constexpr bool fits = true;
};

template <int n, class View, class Places>
void check_vector_view(const char* function, const View& view, const Places& places, const Grid& grid) {
  if constexpr (View::rank() == 2 || View::rank() == 4) {
    check_extents<View, Places, 1>(function, view, places, grid, {n});
  } else if constexpr (View::rank() == 3) {
    check_extents<View, Places, 0>(function, view, places, grid, {});
  } else if (static_cast<std::int64_t>(view.extent(0)) != grid.size() * n) {
    fail(std::string(function) + ": extent 0 of view '" + view.label() + "' is " + std::to_string(view.extent(0)) +
         ", expected " + std::to_string(grid.size() * n));
  }
}

/// Unknown c at a place in any of the views that check_vector_view accepts.
template <int n, class View>
KOKKOS_FUNCTION decltype(auto) vector_view_entry(const View& view, std::int64_t number, int c) {
  if constexpr (View::rank() == 1) {
    return view(number * n + c);
  } else {
    return view(number, c);
  }
}

template <int n, class View>
KOKKOS_FUNCTION decltype(auto) vector_view_entry(const View& view, const ArrayPlace& at, int c) {
  if constexpr (View::rank() == 3) {
    return view(at.first, at.second, at.third);
  } else {
    return view(at.first, at.second, at.third, c);
  }
}

/// The same of a matrix.
template <class View, int n, bool by_axes>
struct StencilView {
  static constexpr auto rank = View::rank();
  static_assert(by_axes || rank != 6,
                "say the order of the axes of an array: {.axes = AxisOrder::ijk} as the last argument of pack() or "
                "unpack() for a view (i, j, k, direction, r, c), {.axes = AxisOrder::kji} for (k, j, i, ...)");
  static_assert(by_axes || rank == 2 || rank == 4 || rank == 6,
                "a stencil is viewed as (point, direction, r, c), for n = 1 also as (point, direction), or by axes");
  static_assert(!by_axes || rank == 6 || (rank == 4 && n == 1),
                "with AxisOrder::ijk a stencil is viewed as (i, j, k, direction, r, c), for n = 1 also as "
                "(i, j, k, direction); with AxisOrder::kji the first three are (k, j, i)");
  static constexpr bool fits = true;
};

template <int n, class View, class Places>
void check_stencil_view(const char* function, const View& view, const Places& places, const Grid& grid) {
  if constexpr (View::rank() == (Places::by_axes ? 6 : 4)) {
    check_extents<View, Places, 3>(function, view, places, grid, {stencil7_size, n, n});
  } else {
    if (n != 1) fail(std::string(function) + ": a view of rank 2 has no place for blocks of " + std::to_string(n));
    check_extents<View, Places, 1>(function, view, places, grid, {stencil7_size});
  }
}

template <class View>
KOKKOS_FUNCTION decltype(auto) stencil_view_entry(const View& view, std::int64_t number, int d, int r, int c) {
  if constexpr (View::rank() == 4) {
    return view(number, d, r, c);
  } else {
    return view(number, d);
  }
}

template <class View>
KOKKOS_FUNCTION decltype(auto) stencil_view_entry(const View& view, const ArrayPlace& at, int d, int r, int c) {
  if constexpr (View::rank() == 6) {
    return view(at.first, at.second, at.third, d, r, c);
  } else {
    return view(at.first, at.second, at.third, d);
  }
}

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
