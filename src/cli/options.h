// SPDX-License-Identifier: Apache-2.0
// Options that several commands have, spelled and explained once.
#pragma once

#include <optional>
#include <string>

#include "secrets/shown.h"
#include "verdict/verdict.h"
#include "view/accounts.h"

namespace tidegauge::cli {

class CommandLine;
class CommandOption;

// "32GB", "1.5GiB"; "10m", "1h30m". What is neither is an error of use that says what was expected.
CommandOption* add_bytes(CommandLine& app, const std::string& name, std::optional<double>& bytes,
                         const std::string& help);
CommandOption* add_duration(CommandLine& app, const std::string& name,
                            std::optional<double>& seconds, const std::string& help);

// --limit, --leak-prior, --longest-warm-up, --steps-per-epoch. `rules` is complete after parsing.
void add_rules(CommandLine& app, verdict::Rules& rules);

// What is wrong with `word` as the number of a process, as check() wants to hear it; empty:
// nothing.
std::string no_process_id(const std::string& word);

// --show-keys: the keys of dicts that look like data, in what a census says.
void add_show_keys(CommandLine& app, bool& show_keys);
inline secrets::Keys keys_for(bool show_keys) {
  return show_keys ? secrets::Keys::All : secrets::Keys::WithoutData;
}

// What `watch` and `run` share.
struct SittingOptions {
  std::optional<double> interval_seconds{};  // default 1
  std::optional<double> for_seconds{};
  bool until_decided = false;
  bool no_record = false;
  std::string record_path{};
  bool quiet = false;
  bool no_census = false;
  bool show_keys = false;

  secrets::Keys keys() const { return keys_for(show_keys); }
};
void add_sitting(CommandLine& app, SittingOptions& sitting);

// 1 for what calls for action (a leak, a limit that is likely to be reached, a process of the job
// that the kernel killed for lack of memory), else 0.
int exit_code_of(const verdict::Verdicts& verdicts, const view::Accounts& accounts);

// What is wrong with `word` as the name of a file to write: it is an option that came too early.
std::string no_file_name(const std::string& word);

}  // namespace tidegauge::cli
