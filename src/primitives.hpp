// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/array/box.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "objects.hpp"

namespace hyperplane::run_time {

enum class ScalarKind { integer, single_precision, double_precision };

/// ArrayRef with a scalar type that is known at run time.
struct Array {
  void* data;
  ScalarKind scalar;
  MemorySpace space;
  std::array<int, 3> extents;
  std::array<std::int64_t, 3> strides;
  int components;
  std::int64_t component_stride;
};

/// Seven coefficients in the order of Direction: the same at all points, or seven arrays.
struct Stencil {
  std::array<double, 7> values;
  std::vector<Array> arrays;  ///< none or seven
};

enum class Reduction { sum, min, max, norm_1, norm_2, norm_inf };

struct PackedArrayBox {
  Array array;
  Box box;
  std::array<int, 3> order;
};

/// BoxPacker. Buffers are where the arrays are.
class Packer {
 public:
  virtual ~Packer() = default;
  virtual std::int64_t size() const = 0;
  virtual ScalarKind scalar() const = 0;
  virtual void pack(void* buffer) const = 0;
  virtual void unpack(const void* buffer) const = 0;
};

enum class RelaxationKind { jacobi, red_black, hyperplane };

struct RelaxationSettings {
  RelaxationKind kind = RelaxationKind::red_black;
  ScalarKind scalar = ScalarKind::double_precision;
  double relaxation = 1.0;
  int sweeps = 1;  ///< of Jacobi
};

/// FieldJacobi or FieldSsor on a stencil. Refers to its arrays.
class Relaxation {
 public:
  virtual ~Relaxation() = default;
  /// Takes the coefficients as they are now.
  virtual void factor() = 0;
  /// See Preconditioner.
  virtual FactorProblem problem() const = 0;
  /// z = M^-1 r
  virtual void solve(const Array& r, const Array& z) const = 0;
};

/// The primitives on arrays that the execution space reads: those of a host backend are in host memory, those of CUDA
/// in device memory. Arrays of a call have one scalar type. Reductions wait for their result.
class Primitives {
 public:
  virtual ~Primitives() = default;
  virtual double reduce(Reduction reduction, const Box& box, const Array& x) const = 0;
  virtual double dot(const Box& box, const Array& x, const Array& y) const = 0;
  /// results[p] = (x[p], y[p]), 1 to 4 of them in one pass
  virtual void dots(const Box& box, std::span<const Array> x, std::span<const Array> y, double* results) const = 0;
  /// y = alpha x + y; (y, z)
  virtual double axpy_dot(const Box& box, double alpha, const Array& x, const Array& y, const Array& z) const = 0;
  /// x = x + alpha p, r = r - alpha q; (r, r)
  virtual double update_dot(const Box& box, double alpha, const Array& p, const Array& q, const Array& x,
                            const Array& r) const = 0;
  virtual void fill(const Box& box, double value, const Array& x) const = 0;
  virtual void scale(const Box& box, double alpha, const Array& x) const = 0;
  virtual void copy(const Box& box, const Array& x, const Array& y) const = 0;
  virtual void transposed_copy(const Box& box, const Array& x, const std::array<int, 3>& order, const Point& begin,
                               const Array& y) const = 0;
  /// y = alpha x + beta y
  virtual void axpby(const Box& box, double alpha, const Array& x, double beta, const Array& y) const = 0;
  /// y = A x
  virtual void apply(const Box& box, const Stencil& a, const Array& x, const Array& y) const = 0;
  virtual std::unique_ptr<Relaxation> make_relaxation(const Grid& grid, const Stencil& a,
                                                      const RelaxationSettings& settings) const = 0;
  virtual std::unique_ptr<Packer> make_packer(const std::vector<PackedArrayBox>& packed_boxes) const = 0;
};

}  // namespace hyperplane::run_time
