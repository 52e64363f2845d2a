// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace tidegauge::proc {

enum class Form {  // of the option and its value
  Attached,        // -pSECRET; a -p alone asks for it
  Next,            // -a SECRET
  Either,          // -pSECRET or -p SECRET
  Pair,            // -u user:SECRET, in either way
  LikelyPair,      // -u user:SECRET, or else host:port, uid:gid, a file, an address
};
// Options that mean a secret in these programs and something harmless elsewhere.
struct SecretOption {
  std::string_view program;  // empty: any other
  std::string_view command;  // of the program; empty: all of them
  std::string_view option;
  Form form;
};
std::span<const SecretOption> secret_options();

}  // namespace tidegauge::proc
