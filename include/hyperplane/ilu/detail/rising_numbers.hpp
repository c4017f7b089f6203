// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <hyperplane/core/abi.hpp>
#include <hyperplane/core/as_size.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

/// A set of numbers on the host.
namespace hyperplane::inline HYPERPLANE_ABI::detail {

/// Numbers below a bound, which are taken by rising size while others come: a bit for each number, and for each word of
/// bits that may have some a bit in the level above, up to a level of one word. What is inserted after one was taken is
/// larger than that.
class RisingNumbers {
 public:
  explicit RisingNumbers(std::size_t bound) {
    std::size_t words = 0;
    do {
      bound = bound / bits + 1;
      m_begin[m_levels++] = words;
      words += bound;
    } while (bound > 1);
    m_words.resize(words);
  }

  void insert(int number) {
    auto at = as_size(number);
    for (std::size_t level = 0; level < m_levels; ++level) {
      auto& word = m_words[m_begin[level] + at / bits];
      bool const is_known = word != 0;
      word |= Word{1} << at % bits;
      if (is_known) return;
      at /= bits;
    }
  }

  /// The smallest number; or `none`.
  int first() {
    if (m_words[m_current] == 0) {
      find_current();
      if (m_words[m_current] == 0) return none;
    }
    return static_cast<int>(m_current * bits) + std::countr_zero(m_words[m_current]);
  }
  static constexpr int none = -1;
  /// Takes away what first() has found.
  void take_first() { m_words[m_current] &= m_words[m_current] - 1; }
  void clear() {
    while (first() != none) take_first();
  }

 private:
  using Word = std::uint64_t;
  static constexpr std::size_t bits = 64;

  /// The first word that has bits, or the first of all.
  void find_current() {
    auto at = m_current;
    for (std::size_t level = 0; level + 1 < m_levels && m_words[m_begin[level] + at] == 0; ++level) {
      m_words[m_begin[level + 1] + at / bits] &= ~(Word{1} << at % bits);
      at /= bits;
    }
    m_current = 0;
    if (m_words.back() == 0) return;
    for (auto level = m_levels; level-- > 1;) {
      m_current = m_current * bits + as_size(std::countr_zero(m_words[m_begin[level] + m_current]));
    }
  }

  std::vector<Word> m_words;
  std::array<std::size_t, 6> m_begin{};  ///< of each level
  std::size_t m_levels = 0;
  std::size_t m_current = 0;  ///< word of the smallest number
};

}  // namespace hyperplane::inline HYPERPLANE_ABI::detail
