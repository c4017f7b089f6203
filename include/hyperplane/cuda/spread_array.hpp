// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/cuda/check.hpp>

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <vector>

namespace hyperplane::inline HYPERPLANE_ABI::cuda {

/// Owner of an array whose addresses follow one another, while its pieces are in the memory of different devices. Each
/// of these reads and writes all of it, and a kernel for some of the values has the same pointers on every device.
/// Values are not set. Behind a piece there is a gap up to the next multiple of what devices map at a time, 2 MiB. A
/// piece without values has no memory, and one piece at least has values.
///
/// Devices have to have access to one another's memory. Freeing it waits for all of them, so that no kernel loses what
/// it works on.
template <class T>
  requires std::is_trivially_copyable_v<T>
class SpreadArray {
 public:
  struct Piece {
    int device;
    std::size_t size;
  };

  explicit SpreadArray(const std::vector<Piece>& pieces) : SpreadArray() {
    for (auto const& piece : pieces) m_devices.push_back(piece.device);
    std::size_t const unit = SpreadArray::unit(m_devices);
    std::size_t bytes = 0;
    for (auto const& [device, size] : pieces) {
      m_begins.push_back(bytes);
      bytes += (size * sizeof(T) + unit - 1) / unit * unit;
    }
    m_begins.push_back(bytes);
    check_driver(cuMemAddressReserve(&m_address, bytes, unit, 0, 0), "cuMemAddressReserve");
    for (std::size_t p = 0; p < pieces.size(); ++p) map(p);
    allow_all();
  }
  ~SpreadArray() {
    if (m_address == 0) return;
    wait_for_devices();
    for (std::size_t p = 0; p < m_mapped; ++p) {
      if (bytes_of(p) > 0) cuMemUnmap(m_address + m_begins[p], bytes_of(p));
    }
    cuMemAddressFree(m_address, m_begins.back());
  }
  SpreadArray(const SpreadArray&) = delete;
  SpreadArray& operator=(const SpreadArray&) = delete;

  /// Bytes that such devices map at a time, the most of all of them.
  static std::size_t unit(const std::vector<int>& devices) {
    std::size_t result = 0;
    for (int const device : devices) result = std::max(result, unit_of(device));
    return result;
  }

  T* data() const { return reinterpret_cast<T*>(m_address); }
  /// Values, those of gaps included.
  std::size_t size() const { return m_begins.back() / sizeof(T); }
  T* piece(std::size_t p) const { return data() + m_begins[p] / sizeof(T); }
  /// Bytes of a piece with the gap behind it.
  std::size_t bytes_of(std::size_t p) const { return m_begins[p + 1] - m_begins[p]; }

 private:
  SpreadArray() = default;

  // Both have the same numbers for what went wrong.
  static void check_driver(CUresult status, std::string_view call) { check(static_cast<cudaError_t>(status), call); }

  static CUmemAllocationProp properties(int device) {
    CUmemAllocationProp result{};
    result.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    result.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
    return result;
  }

  static std::size_t unit_of(int device) {
    std::size_t unit = 0;
    auto const wanted = properties(device);
    check_driver(cuMemGetAllocationGranularity(&unit, &wanted, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
                 "cuMemGetAllocationGranularity");
    return unit;
  }

  void map(std::size_t p) {
    if (bytes_of(p) == 0) {
      m_mapped = p + 1;
      return;
    }
    CUmemGenericAllocationHandle memory = 0;
    auto const wanted = properties(m_devices[p]);
    check_driver(cuMemCreate(&memory, bytes_of(p), &wanted, 0), "cuMemCreate");
    auto const status = cuMemMap(m_address + m_begins[p], bytes_of(p), 0, memory, 0);
    // What is mapped stays until it is unmapped.
    cuMemRelease(memory);
    check_driver(status, "cuMemMap");
    m_mapped = p + 1;
  }

  void allow_all() {
    auto devices = m_devices;
    std::ranges::sort(devices);
    devices.erase(std::ranges::unique(devices).begin(), devices.end());
    std::vector<CUmemAccessDesc> access;
    for (int const device : devices) {
      access.push_back({{CU_MEM_LOCATION_TYPE_DEVICE, device}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE});
    }
    check_driver(cuMemSetAccess(m_address, m_begins.back(), access.data(), access.size()), "cuMemSetAccess");
  }

  void wait_for_devices() const {
    int before = 0;
    cudaGetDevice(&before);
    for (int const device : m_devices) {
      cudaSetDevice(device);
      cudaDeviceSynchronize();
    }
    cudaSetDevice(before);
  }

  CUdeviceptr m_address = 0;
  std::vector<std::size_t> m_begins;  ///< in bytes, and the end
  std::vector<int> m_devices;
  std::size_t m_mapped = 0;
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::cuda
