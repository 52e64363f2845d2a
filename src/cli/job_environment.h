// SPDX-License-Identifier: Apache-2.0
// What a job that we start finds in its environment besides its own.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tidegauge::cli {

struct JobEnvironment {
  std::string command;    // its first word
  std::string ring;       // path of the channel for marks; empty: none
  std::string recording;  // path; empty: none is kept
  std::string ask_page;   // path of the page for requests; empty: none
  bool hooks = true;      // put the probe into its Python processes
  bool preload = true;    // by the linker where it can, else by a sitecustomize
};

// Names and values, over those of our own environment. A preloaded library of the user's stays, and
// stays first.
std::vector<std::pair<std::string, std::string>> variables_of(const JobEnvironment& job);

// The library that finds a training loop's steps, beside this program: in the folder it was built
// in, or in ../lib/tidegauge. Empty where it is not there.
std::string probe_path();
// The same for any library of ours.
std::string library_path(const char* name);
// Where this program is; empty if that cannot be found out.
std::string own_program();

}  // namespace tidegauge::cli
