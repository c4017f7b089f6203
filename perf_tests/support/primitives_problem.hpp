// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/array_ref.hpp>
#include <hyperplane/array/box_packer.hpp>
#include <hyperplane/array/reductions.hpp>
#include <hyperplane/array/stencil7.hpp>
#include <hyperplane/array/updates.hpp>

#include <Kokkos_Core.hpp>

#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#if defined(HYPERPLANE_PERF_KOKKOS_KERNELS)
#include <KokkosBlas1_dot.hpp>
#endif

#if defined(KOKKOS_ENABLE_CUDA)
#include "cuda_support.hpp"

#include <cublas_v2.h>
#endif

namespace hyperplane::perf {

/// Small whole numbers, of which sums are exact in double.
template <class T>
struct WholeNumbers {
  T* m_values;
  int m_seed;
  KOKKOS_FUNCTION static int at(std::int64_t e, int seed) { return static_cast<int>((e * 7 + seed * 5) % 19) - 8; }
  KOKKOS_FUNCTION void operator()(std::int64_t e) const { m_values[e] = static_cast<T>(at(e, m_seed)); }
};

/// Arrays that kernels work on: (n + 2)^3 values each, of which "whole" is n^3 without a gap, and "inside" n^3 with a
/// boundary layer on each side.
template <class T, class Exec>
struct PrimitiveSet {
  using Values = Kokkos::View<T*, typename Exec::memory_space>;

  PrimitiveSet(const Exec& exec, int n, bool with_coefficients)
      : m_x(make(exec, n, 1)),
        m_y(make(exec, n, 2)),
        m_z(make(exec, n, 3)),
        m_w(make(exec, n, 4)),
        m_coefficients(Kokkos::view_alloc(exec, "coefficients"),
                       with_coefficients ? stencil7_size * std::size_t(n) * n * n : 0),
        m_box_packer(exec, {{padded(m_x, n), inner(n)}}),
        m_transposed_packer(exec, {{padded(m_x, n), inner(n), {1, 0, 2}}}),
        m_face_packer(exec, faces(n)) {}

  static Values make(const Exec& exec, int n, int seed) {
    Values const values(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "values"),
                        std::size_t(n + 2) * (n + 2) * (n + 2));
    Kokkos::parallel_for("Hyperplane::perf::fill", Kokkos::RangePolicy<Exec>(exec, 0, values.size()),
                         WholeNumbers<T>{values.data(), seed});
    return values;
  }
  static ArrayRef<T> whole(const Values& values, int n) { return {values.data(), {n, n, n}}; }
  static ArrayRef<T> padded(const Values& values, int n) { return {values.data(), {n + 2, n + 2, n + 2}}; }
  static Box inner(int n) { return {{1, 1, 1}, {n + 1, n + 1, n + 1}}; }

  static double face_points(int n) { return 3.0 * 6 * 2 * n * n; }
  /// Two layers at each face of three fields.
  std::vector<PackedBox<T>> faces(int n) const {
    std::vector<PackedBox<T>> result;
    for (auto const* values : {&m_x, &m_y, &m_w}) {
      for (auto const face : stencil7_directions) {
        if (face == Direction::center) continue;
        result.push_back({whole(*values, n), face_box({{0, 0, 0}, {n, n, n}}, face, 2)});
      }
    }
    return result;
  }

  Values m_x, m_y, m_z, m_w;
  Values m_coefficients;
  BoxPacker<T, Exec> m_box_packer;
  BoxPacker<T, Exec> m_transposed_packer;
  BoxPacker<T, Exec> m_face_packer;
};

template <class T, class Exec>
struct PrimitivesProblem {
  using Set = PrimitiveSet<T, Exec>;
  using Values = typename Set::Values;

  PrimitivesProblem(const Exec& exec, int n)
      : m_n(n),
        m_reductions(exec),
        m_results(Kokkos::view_alloc(exec, "results"), 4),
        m_buffer(Kokkos::view_alloc(exec, "buffer"),
                 std::max<std::size_t>(std::size_t(n) * n * n, Set::face_points(n))) {
    // Together far larger than caches, also where a kernel reads one array of each.
    int const sets = n > 128 ? 1 : sizeof(T) == 8 && HostExecutionSpace<Exec> ? 4 : 8;
    for (int s = 0; s < sets; ++s) m_sets.emplace_back(exec, n, sizeof(T) == 8 && n <= 128);
    exec.fence();
#if defined(KOKKOS_ENABLE_CUDA)
    if constexpr (CudaExecutionSpace<Exec>) {
      if (cublasCreate(&m_cublas) != CUBLAS_STATUS_SUCCESS) throw std::runtime_error("cublasCreate failed");
      cublasSetStream(m_cublas, exec.cuda_stream());
      cublasSetPointerMode(m_cublas, CUBLAS_POINTER_MODE_DEVICE);
    }
#endif
  }
  PrimitivesProblem(const PrimitivesProblem&) = delete;
  PrimitivesProblem& operator=(const PrimitivesProblem&) = delete;
#if defined(KOKKOS_ENABLE_CUDA)
  ~PrimitivesProblem() {
    if (m_cublas != nullptr) cublasDestroy(m_cublas);
  }
  /// What the runtime needs for as many bytes.
  void runtime_copy(const Exec& exec, const Set& s) const {
    check_cuda(cudaMemcpyAsync(s.m_z.data(), s.m_x.data(), std::size_t(m_n) * m_n * m_n * sizeof(T),
                               cudaMemcpyDeviceToDevice, exec.cuda_stream()));
  }
  void cublas_dot(const Exec&, const Set& s) const {
    auto const size = m_n * m_n * m_n;
    if constexpr (std::is_same_v<T, double>) {
      if (cublasDdot(m_cublas, size, s.m_x.data(), 1, s.m_y.data(), 1, m_results.data()) != CUBLAS_STATUS_SUCCESS) {
        throw std::runtime_error("cublasDdot failed");
      }
    }
  }
#endif

#if defined(HYPERPLANE_PERF_KOKKOS_KERNELS)
  void kokkos_blas_dot(const Exec& exec, const Set& s) const {
    using Peer = Kokkos::View<const T*, Kokkos::LayoutLeft, Exec, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    auto const size = std::size_t(m_n) * m_n * m_n;
    KokkosBlas::dot(exec, result(), Peer(s.m_x.data(), size), Peer(s.m_y.data(), size));
  }
#endif

  Box box(bool inside) const { return inside ? Set::inner(m_n) : Box{{0, 0, 0}, {m_n, m_n, m_n}}; }
  ArrayRef<T> array(const Values& values, bool inside) const {
    return inside ? Set::padded(values, m_n) : Set::whole(values, m_n);
  }
  auto result(int r = 0) const { return Kokkos::View<double, typename Exec::memory_space>(m_results.data() + r); }
  VariableStencil7<T> variable(const Set& s) const {
    return VariableStencil7<T>(ArrayRef<const T>(s.m_coefficients.data(), {m_n, m_n, m_n}, stencil7_size));
  }

  // Four dot products of three arrays: six passes if each is for itself. Two of two, as in BiCGStab: three passes.
  void fused(const Exec& exec, const Set& s) const {
    auto const x = array(s.m_x, false), y = array(s.m_y, false), w = array(s.m_w, false);
    m_reductions.dots(exec, box(false), std::array{dot_pair(x, y), dot_pair(x, x), dot_pair(y, y), dot_pair(y, w)},
                      m_results);
  }
  void separate(const Exec& exec, const Set& s) const {
    auto const x = array(s.m_x, false), y = array(s.m_y, false), w = array(s.m_w, false);
    m_reductions.dot(exec, box(false), x, y, result(0));
    m_reductions.dot(exec, box(false), x, x, result(1));
    m_reductions.dot(exec, box(false), y, y, result(2));
    m_reductions.dot(exec, box(false), y, w, result(3));
  }
  void fused_two(const Exec& exec, const Set& s) const {
    auto const x = array(s.m_x, false), y = array(s.m_y, false);
    m_reductions.dots(exec, box(false), std::array{dot_pair(x, y), dot_pair(x, x)}, m_results);
  }
  void separate_two(const Exec& exec, const Set& s) const {
    auto const x = array(s.m_x, false), y = array(s.m_y, false);
    m_reductions.dot(exec, box(false), x, y, result(0));
    m_reductions.dot(exec, box(false), x, x, result(1));
  }
  void fused_update(const Exec& exec, const Set& s) const {
    // Coefficients that leave values as they are, so that no repetition overflows.
    m_reductions.update_dot(exec, box(false), T(0), array(s.m_x, false), array(s.m_y, false), array(s.m_z, false),
                            array(s.m_w, false), result());
  }
  void separate_update(const Exec& exec, const Set& s) const {
    axpy(exec, box(false), T(0), array(s.m_x, false), array(s.m_z, false));
    axpy(exec, box(false), T(0), array(s.m_y, false), array(s.m_w, false));
    m_reductions.dot(exec, box(false), array(s.m_w, false), array(s.m_w, false), result());
  }

  /// Sums of whole numbers are exact, and so is a stencil of whole coefficients.
  void verify(const Exec& exec) const {
    auto const& s = m_sets.back();
    auto const expect = [](const char* what, double found, double expected) {
      if (found != expected) {
        throw std::runtime_error(std::string(what) + " is " + std::to_string(found) + ", expected " +
                                 std::to_string(expected));
      }
    };
    for (bool const inside : {false, true}) {
      double sum = 0, dot = 0, product = 0;
      int const extent = inside ? m_n + 2 : m_n;
      Box const b = box(inside);
      auto const x = [&](int i, int j, int k) {
        bool const exists = i >= 0 && j >= 0 && k >= 0 && i < extent && j < extent && k < extent;
        return exists ? WholeNumbers<T>::at(i + std::int64_t{extent} * (j + std::int64_t{extent} * k), 1) : 0;
      };
      for (int k = b.begin.k; k < b.end.k; ++k) {
        for (int j = b.begin.j; j < b.end.j; ++j) {
          for (int i = b.begin.i; i < b.end.i; ++i) {
            auto const e = i + std::int64_t{extent} * (j + std::int64_t{extent} * k);
            sum += x(i, j, k);
            dot += x(i, j, k) * WholeNumbers<T>::at(e, 2);
            // Weighted, so that every place counts.
            product +=
                WholeNumbers<T>::at(e, 2) * (6 * x(i, j, k) - x(i - 1, j, k) - 2 * x(i + 1, j, k) - 3 * x(i, j - 1, k) -
                                             4 * x(i, j + 1, k) - 5 * x(i, j, k - 1) - 6 * x(i, j, k + 1));
          }
        }
      }
      expect("sum", m_reductions.sum(exec, b, array(s.m_x, inside)), sum);
      expect("dot", m_reductions.dot(exec, b, array(s.m_x, inside), array(s.m_y, inside)), dot);
      apply(exec, b, m_constant, array(s.m_x, inside), array(s.m_z, inside));
      expect("stencil", m_reductions.dot(exec, b, array(s.m_z, inside), array(s.m_y, inside)), product);
      fill(exec, b, T(0), array(s.m_z, inside));
      axpy(exec, b, T(1), array(s.m_x, inside), array(s.m_z, inside));
      expect("axpy", m_reductions.dot(exec, b, array(s.m_z, inside), array(s.m_y, inside)), dot);
      if (inside) {
        s.m_box_packer.pack(exec, m_buffer);
        expect("pack", m_reductions.sum(exec, array_ref(m_buffer).box(), m_buffer), sum + extra(exec, b));
        s.m_box_packer.unpack(exec, m_buffer);
        expect("unpack", m_reductions.dot(exec, b, array(s.m_x, inside), array(s.m_y, inside)), dot);
      }
    }
  }

  int m_n;
  ConstantStencil7<T> m_constant{-5, -3, -1, 6, -2, -4, -6};
  Reductions<Exec> m_reductions;
  Kokkos::View<double*, typename Exec::memory_space> m_results;
  Values m_buffer;
  std::vector<Set> m_sets;

 private:
  /// What is behind the box in the buffer.
  double extra(const Exec& exec, const Box& b) const {
    int const size = static_cast<int>(m_buffer.size());
    return m_reductions.sum(exec, {{static_cast<int>(b.size()), 0, 0}, {size, 1, 1}}, m_buffer);
  }
#if defined(KOKKOS_ENABLE_CUDA)
  cublasHandle_t m_cublas = nullptr;
#endif
};

}  // namespace hyperplane::perf
