// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/cfd/detail/slab_copy.hpp>
#include <hyperplane/cfd/detail/slab_copy_cuda_kernel.hpp>
#include <hyperplane/core/concepts.hpp>
#include <hyperplane/core/error.hpp>
#include <hyperplane/cuda/labelled.hpp>

#include <Kokkos_Core.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace hyperplane::detail {

template <class T, CudaExecutionSpace Exec>
class SlabCopy<T, Exec> {
 public:
  SlabCopy(const Exec& exec, const std::vector<Nest<T, 2>>& nests) {
    std::vector<SlabBlocks<T>> table;
    std::vector<int> slab_of_block;
    std::int64_t offset = 0;
    for (auto const& nest : nests) {
      NestBlocks const blocks(nest);
      if (static_cast<std::int64_t>(slab_of_block.size()) + blocks.m_count > std::numeric_limits<int>::max()) {
        fail("SlabPacker: " + std::to_string(offset + nest.size()) + " values are too many for one launch");
      }
      table.push_back({nest, blocks, offset, static_cast<int>(slab_of_block.size())});
      slab_of_block.insert(slab_of_block.end(), static_cast<std::size_t>(blocks.m_count),
                           static_cast<int>(table.size()) - 1);
      offset += nest.size();
    }
    m_table = on_device("Hyperplane::SlabPacker::table", exec, table);
    m_slab_of_block = on_device("Hyperplane::SlabPacker::slab_of_block", exec, slab_of_block);
    // The sources of the copies go.
    exec.fence("Hyperplane::SlabPacker");
  }

  template <bool pack>
  void run(const Exec& exec, const std::string& label, T* buffer) const {
    cuda::labelled(exec, label, [&] {
      copy_slabs<pack>(exec.cuda_stream(), m_table.data(), m_slab_of_block.data(),
                       static_cast<int>(m_slab_of_block.size()), buffer);
    });
  }

 private:
  template <class Value>
  using Values = Kokkos::View<Value*, typename Exec::memory_space>;

  template <class Value>
  static Values<Value> on_device(const std::string& label, const Exec& exec, const std::vector<Value>& values) {
    using Source = Kokkos::View<const Value*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Values<Value> const result(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), values.size());
    Kokkos::deep_copy(exec, result, Source(values.data(), values.size()));
    return result;
  }

  // Copies of a packer share them.
  Values<SlabBlocks<T>> m_table;
  Values<int> m_slab_of_block;
};

}  // namespace hyperplane::detail
