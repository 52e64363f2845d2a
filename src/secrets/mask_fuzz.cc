// SPDX-License-Identifier: Apache-2.0
// Any command line is masked without harm, and a secret put into it at a known place never comes
// out.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "secrets/mask.h"

namespace {

constexpr std::size_t kLongest = 4096;
constexpr std::string_view kSecret = "Zq8~wontbefound~Kx3";

std::vector<std::string> split(std::string_view text) {
  std::vector<std::string> arguments;
  while (!text.empty()) {
    const auto end = text.find('\0');
    arguments.emplace_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return arguments;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find(kSecret) != text.npos) return 0;
  auto arguments = split(text);
  if (tidegauge::secrets::masked_command(arguments).size() > kLongest) std::abort();

  const std::size_t middle = arguments.size() / 2;
  const auto at = arguments.begin() + static_cast<std::ptrdiff_t>(middle);
  arguments.insert(at, {"--password", std::string(kSecret), "--token=" + std::string(kSecret)});
  if (tidegauge::secrets::masked_command(arguments).find(kSecret) != std::string::npos)
    std::abort();
  return 0;
}
