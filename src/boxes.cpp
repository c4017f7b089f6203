// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "boxes.hpp"

#include <hyperplane/array/array_ref.hpp>
#include <hyperplane/simd/vector_length.hpp>

#include <vector>

#include "memory.hpp"
#include "typed_arrays.hpp"

namespace hyperplane::run_time {

namespace {

/// A point of a box by its number, i fastest.
KOKKOS_FUNCTION Point point_of(const Box& box, std::int64_t number) {
  std::int64_t const ni = box.end.i - box.begin.i, nj = box.end.j - box.begin.j;
  auto const row = number / ni;
  return {static_cast<int>(number % ni), static_cast<int>(row % nj), static_cast<int>(row / nj)};
}

template <class T, class Stored, int vector_length>
struct CopyBox {
  Way m_way;
  PackedEntries<Stored, vector_length> m_packed;
  Box m_box;
  ArrayRef<T> m_array;
  Point m_begin;

  KOKKOS_FUNCTION void operator()(std::int64_t number) const {
    auto const p = point_of(m_box, number);
    Point const here{m_box.begin.i + p.i, m_box.begin.j + p.j, m_box.begin.k + p.k};
    for (int c = 0; c < m_array.components(); ++c) {
      T& value = m_array(m_begin.i + p.i, m_begin.j + p.j, m_begin.k + p.k, c);
      Stored& stored = m_packed(here, c);
      if (m_way == Way::from_array) {
        stored = static_cast<Stored>(value);
      } else {
        value = static_cast<T>(stored);
      }
    }
  }
};

template <class Exec, class T, class Stored, int vector_length>
void launch(const Exec& exec, const CopyBox<T, Stored, vector_length>& copy) {
  Kokkos::parallel_for("Hyperplane::copy_box",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, copy.m_box.size()), copy);
}

/// By way of a contiguous copy of the box, which alone is read and written of the array.
template <class Exec, class T, class Stored, int vector_length>
void copy_host_array(const Exec& exec, const CopyBox<T, Stored, vector_length>& copy) {
  auto const& box = copy.m_box;
  auto const size = box.size();
  int const components = copy.m_array.components();
  std::vector<T> values(static_cast<std::size_t>(size * components));
  auto const in_array = [&](std::int64_t number, int c) -> T& {
    auto const p = point_of(box, number);
    return copy.m_array(copy.m_begin.i + p.i, copy.m_begin.j + p.j, copy.m_begin.k + p.k, c);
  };
  auto const for_all = [&](const auto& f) {
    for (int c = 0; c < components; ++c) {
      for (std::int64_t number = 0; number < size; ++number) {
        f(in_array(number, c), values[static_cast<std::size_t>(c * size + number)]);
      }
    }
  };
  auto const run = [&](T* data) {
    ArrayRef<T> const contiguous(data, {box.end.i - box.begin.i, box.end.j - box.begin.j, box.end.k - box.begin.k},
                                 components);
    launch(exec, CopyBox<T, Stored, vector_length>{copy.m_way, copy.m_packed, box, contiguous, Point{}});
  };
  auto const count = static_cast<std::int64_t>(values.size());
  if (copy.m_way == Way::from_array) {
    for_all([](const T& from, T& to) { to = from; });
    in_memory_of<true, true>(exec, values.data(), count, MemorySpace::host, run);
  } else {
    in_memory_of<true>(exec, values.data(), count, MemorySpace::host, run);
    for_all([](T& to, const T& from) { to = from; });
  }
}

template <class T>
ArrayRef<T> array_ref(const Array& array) {
  return ArrayRef<T>(static_cast<T*>(array.data), array.extents, array.strides, array.components,
                     array.component_stride);
}

void check_extents(const Grid& grid, const Box& box, const Array& array, const Point& begin, int components) {
  if (array.components != components) {
    throw SizeMismatch("the array has " + std::to_string(array.components) + " components, expected " +
                       std::to_string(components));
  }
  if (box.empty()) return;
  auto const within = [](const Box& inner, const std::array<int, 3>& extents) {
    return inner.begin.i >= 0 && inner.begin.j >= 0 && inner.begin.k >= 0 && inner.end.i <= extents[0] &&
           inner.end.j <= extents[1] && inner.end.k <= extents[2];
  };
  if (!within(box, {grid.ni(), grid.nj(), grid.nk()})) {
    throw Error("box " + to_string(box) + " is not inside a grid of " + to_string(grid) + " points");
  }
  auto const& extents = array.extents;
  // Within the grid, so that extents of the box are ints; the beginning may be any number.
  std::int64_t const ends[] = {std::int64_t{begin.i} + box.end.i - box.begin.i,
                               std::int64_t{begin.j} + box.end.j - box.begin.j,
                               std::int64_t{begin.k} + box.end.k - box.begin.k};
  if (begin.i < 0 || begin.j < 0 || begin.k < 0 || ends[0] > extents[0] || ends[1] > extents[1] ||
      ends[2] > extents[2]) {
    throw Error("box " + to_string(box) + ", which begins at (" + std::to_string(begin.i) + ", " +
                std::to_string(begin.j) + ", " + std::to_string(begin.k) + ") of the array, is not inside its " +
                std::to_string(extents[0]) + "x" + std::to_string(extents[1]) + "x" + std::to_string(extents[2]) +
                " points");
  }
  if (array.data == nullptr) throw Error("the array has no memory (null pointer)");
}

}  // namespace

template <class Exec>
void check_box(const Exec& exec, const Grid& grid, const Box& box, const Array& array, const Point& begin,
               int components) {
  check_extents(grid, box, array, begin, components);
  with_real("a box of a vector or a matrix", [&]<class T>() { static_cast<void>(array_ref<T>(array)); }, array.scalar);
  if (!box.empty() && array.space == MemorySpace::device) check_device_memory(exec, array.data);
}

template <class Exec, class Stored, int vector_length>
void copy_box(const Exec& exec, Way way, const PackedEntries<Stored, vector_length>& packed, const Box& box,
              const Array& array, const Point& begin, int components) {
  check_box(exec, packed.map.grid(), box, array, begin, components);
  if (box.empty()) return;
  auto const copy = [&]<class T>() {
    CopyBox<T, Stored, vector_length> const all{way, packed, box, array_ref<T>(array), begin};
    if (array.space == MemorySpace::device) {
      launch(exec, all);
    } else if constexpr (HostExecutionSpace<Exec>) {
      launch(exec, all);
      exec.fence("Hyperplane: host memory");
    } else {
      copy_host_array(exec, all);
    }
  };
  with_real("a box of a vector or a matrix", copy, array.scalar);
}

template <class Exec>
constexpr int length_v = vector_length_v<double, Exec>;

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define HYPERPLANE_CHECK_BOX(Exec) \
  template void check_box(const Exec&, const Grid&, const Box&, const Array&, const Point&, int);
#define HYPERPLANE_COPY_BOX(Exec, Stored)                                                                          \
  template void copy_box(const Exec&, Way, const PackedEntries<Stored, length_v<Exec>>&, const Box&, const Array&, \
                         const Point&, int);
// NOLINTEND(bugprone-macro-parentheses)
#ifdef KOKKOS_ENABLE_SERIAL
HYPERPLANE_CHECK_BOX(Kokkos::Serial)
HYPERPLANE_COPY_BOX(Kokkos::Serial, double)
HYPERPLANE_COPY_BOX(Kokkos::Serial, float)
#endif
#ifdef KOKKOS_ENABLE_OPENMP
HYPERPLANE_CHECK_BOX(Kokkos::OpenMP)
HYPERPLANE_COPY_BOX(Kokkos::OpenMP, double)
HYPERPLANE_COPY_BOX(Kokkos::OpenMP, float)
#endif
#ifdef KOKKOS_ENABLE_CUDA
HYPERPLANE_CHECK_BOX(Kokkos::Cuda)
HYPERPLANE_COPY_BOX(Kokkos::Cuda, double)
HYPERPLANE_COPY_BOX(Kokkos::Cuda, float)
#endif

}  // namespace hyperplane::run_time
