// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cfd/box.hpp>

#include <array>
#include <cstdint>
#include <memory>
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

enum class Reduction { sum, min, max, norm_1, norm_2, norm_inf };

struct ArraySlab {
  Array array;
  Box box;
  std::array<int, 3> order;
};

/// SlabPacker. Buffers are where the arrays are.
class Packer {
 public:
  virtual ~Packer() = default;
  virtual std::int64_t size() const = 0;
  virtual void pack(void* buffer) const = 0;
  virtual void unpack(const void* buffer) const = 0;
};

/// The primitives on arrays that the execution space reads: those of a host backend are in host memory, those of CUDA
/// in device memory. Arrays of a call have one scalar type. Reductions wait for their result.
class Primitives {
 public:
  virtual ~Primitives() = default;
  virtual double reduce(Reduction reduction, const Box& box, const Array& x) const = 0;
  virtual double dot(const Box& box, const Array& x, const Array& y) const = 0;
  virtual void fill(const Box& box, double value, const Array& x) const = 0;
  virtual void scale(const Box& box, double alpha, const Array& x) const = 0;
  virtual void copy(const Box& box, const Array& x, const Array& y) const = 0;
  virtual void transposed_copy(const Box& box, const Array& x, const std::array<int, 3>& order, const Point& begin,
                               const Array& y) const = 0;
  /// y = alpha x + beta y
  virtual void axpby(const Box& box, double alpha, const Array& x, double beta, const Array& y) const = 0;
  virtual std::unique_ptr<Packer> make_packer(const std::vector<ArraySlab>& slabs) const = 0;
};

}  // namespace hyperplane::run_time
