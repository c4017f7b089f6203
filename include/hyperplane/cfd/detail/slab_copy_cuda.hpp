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
    std::int64_t offset = 0;
    std::int64_t blocks = 0;
    for (auto const& nest : nests) {
      m_slabs.push_back({nest, NestBlocks(nest), offset, static_cast<int>(blocks)});
      blocks += m_slabs.back().m_blocks.m_count;
      offset += nest.size();
      if (blocks > std::numeric_limits<int>::max()) {
        fail("SlabPacker: " + std::to_string(offset) + " values are too many for one launch");
      }
    }
    m_blocks = static_cast<int>(blocks);
    if (are_parameters()) return;
    std::vector<int> slab_of_block;
    for (std::size_t s = 0; s < m_slabs.size(); ++s) {
      slab_of_block.insert(slab_of_block.end(), static_cast<std::size_t>(m_slabs[s].m_blocks.m_count),
                           static_cast<int>(s));
    }
    m_table = on_device("Hyperplane::SlabPacker::table", exec, m_slabs);
    m_slab_of_block = on_device("Hyperplane::SlabPacker::slab_of_block", exec, slab_of_block);
    // The sources of the copies go.
    exec.fence("Hyperplane::SlabPacker");
  }

  template <bool pack>
  void run(const Exec& exec, const std::string& label, T* buffer) const {
    cuda::labelled(exec, label, [&] {
      if (!are_parameters()) {
        copy_slabs<pack>(exec.cuda_stream(), m_table.data(), m_slab_of_block.data(), m_blocks, buffer);
        return;
      }
      SlabParameters<T> parameters{};
      parameters.m_slabs = static_cast<int>(m_slabs.size());
      for (std::size_t s = 0; s < m_slabs.size(); ++s) {
        parameters.m_table[s] = m_slabs[s];
        parameters.m_table[s].m_nest.m_data[1] = buffer + m_slabs[s].m_offset;
      }
      copy_slabs<pack>(exec.cuda_stream(), parameters, m_blocks);
    });
  }

 private:
  bool are_parameters() const { return m_slabs.size() <= SlabParameters<T>::most_slabs; }

  template <class Value>
  using Values = Kokkos::View<Value*, typename Exec::memory_space>;

  template <class Value>
  static Values<Value> on_device(const std::string& label, const Exec& exec, const std::vector<Value>& values) {
    using Source = Kokkos::View<const Value*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
    Values<Value> const result(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), values.size());
    Kokkos::deep_copy(exec, result, Source(values.data(), values.size()));
    return result;
  }

  std::vector<SlabBlocks<T>> m_slabs;
  int m_blocks = 0;
  // Of more slabs than may be parameters. Copies of a packer share them.
  Values<SlabBlocks<T>> m_table;
  Values<int> m_slab_of_block;
};

}  // namespace hyperplane::detail
