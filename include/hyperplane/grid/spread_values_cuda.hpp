// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/cuda/check.hpp>
#include <hyperplane/cuda/spread_array.hpp>
#include <hyperplane/grid/ordered_instances_cuda.hpp>
#include <hyperplane/grid/spread_layout.hpp>
#include <hyperplane/grid/spread_values.hpp>

#include <cuda_runtime_api.h>
#include <Kokkos_Core.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// On CUDA each part is in the memory of its device, and every device reads all of them, over the links between devices
/// where they are not its own. Memory is from the driver, which no Kokkos tool sees. The end of the last handle waits
/// for all devices.
template <class T, CudaExecutionSpace Exec>
class SpreadValues<T, Exec> {
 public:
  using Flat = Kokkos::View<T*, typename Exec::memory_space>;

  /// Pieces of a layout have multiples of so many values: what devices map at a time.
  static std::int64_t unit(const OrderedInstances<Exec>& instances) {
    return static_cast<std::int64_t>(Array::unit(devices(instances)) / sizeof(T));
  }

  SpreadValues(const Exec& exec, const OrderedInstances<Exec>& instances, const SpreadLayout& layout)
      : m_array(std::make_shared<Array>(pieces(instances, layout))), m_flat(m_array->data(), m_array->size()) {
    instances.run(exec, [&](int p) {
      auto const at = as_size(p);
      if (m_array->bytes_of(at) == 0) return;
      cuda::check(cudaMemsetAsync(m_array->piece(at), 0, m_array->bytes_of(at), instances.exec(p).cuda_stream()),
                  "cudaMemsetAsync");
    });
  }

  /// All values, gaps (zeros) included.
  const Flat& flat() const { return m_flat; }

 private:
  using Array = cuda::SpreadArray<T>;

  static std::vector<int> devices(const OrderedInstances<Exec>& instances) {
    std::vector<int> result;
    for (int p = 0; p < instances.count(); ++p) result.push_back(instances.exec(p).cuda_device());
    return result;
  }
  static std::vector<typename Array::Piece> pieces(const OrderedInstances<Exec>& instances,
                                                   const SpreadLayout& layout) {
    std::vector<typename Array::Piece> result;
    for (int p = 0; p < instances.count(); ++p) {
      result.push_back({instances.exec(p).cuda_device(), as_size(layout.pieces()[as_size(p)])});
    }
    return result;
  }

  std::shared_ptr<Array> m_array;
  Flat m_flat;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
