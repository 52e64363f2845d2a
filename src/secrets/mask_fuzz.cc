// SPDX-License-Identifier: Apache-2.0
// Any command line is masked without harm, and a secret put into it at a known place never comes
// out. Any key of a dict is shown as a name or as its length.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "secrets/mask.h"
#include "secrets/shown.h"

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

  using tidegauge::secrets::Keys;
  const auto key = tidegauge::secrets::shown_key(text, text.size() + 1, Keys::All);
  if (!key.starts_with("<str, ")) std::abort();  // only a part of it is known
  const auto planted = std::string(text) + "password=" + std::string(kSecret);
  if (tidegauge::secrets::shown_key(planted, planted.size(), Keys::WithoutData).find(kSecret) !=
      std::string::npos) {
    std::abort();
  }
  if (tidegauge::secrets::shown_name(planted).find(kSecret) != std::string::npos) std::abort();

  const std::size_t middle = arguments.size() / 2;
  const auto at = arguments.begin() + static_cast<std::ptrdiff_t>(middle);
  arguments.insert(at, {"--password", std::string(kSecret), "--token=" + std::string(kSecret)});
  if (tidegauge::secrets::masked_command(arguments).find(kSecret) != std::string::npos)
    std::abort();
  return 0;
}
