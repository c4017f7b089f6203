// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/// Texts of options: functions that return what is wrong with one, or nothing.
namespace hyperplane::tools {

/// Reads "32x16x8"; whether the text is of that form, with numbers of at least 1.
bool read_extents(const std::string& text, std::array<int, 3>& extents);
/// "a|b"
std::string join_words(const std::vector<std::string>& words);
/// Refuses what is none of the words, and suggests one.
std::string refusal_of_choice(const std::string& text, const std::vector<std::string>& words);
/// Makes 1000 of "1e3"; refuses what is not a whole number, or is not in the range.
std::string refusal_of_integer(std::string& text, std::int64_t least, std::int64_t most);
/// The number that the text is, at least 1; 0 where it is none.
int read_count(const std::string& text);
/// What is given for parts where the library is to choose their number.
inline constexpr const char* automatic_parts = "automatic";
/// Refuses what is neither of the form "1x1x4" nor "4", with numbers of at least 1.
std::string refusal_of_parts(const std::string& text);
/// Refuses what is not a number, and what is not finite, for which a command line has no use.
std::string refusal_of_number(const std::string& text);

}  // namespace hyperplane::tools
