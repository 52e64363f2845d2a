// SPDX-License-Identifier: Apache-2.0
// The three forms of a summary: for a terminal, for an issue, for a program.
#pragma once

#include <string>

#include "view/accounts.h"
#include "view/summary.h"
#include "view/words.h"

namespace tidegauge::view {

std::string summary_text(const Accounts& accounts, const verdict::Verdicts& verdicts,
                         const Summary::Paint& paint);
std::string summary_markdown(const Accounts& accounts, const verdict::Verdicts& verdicts,
                             const std::string& recording, const std::string& picture);
std::string summary_json(const Accounts& accounts);

// What all three need: the processes that have a line of their own, the job first.
std::vector<const ProcessAccount*> listed_processes(const Accounts& accounts, std::size_t most);
// Roles whose processes are told together: there are several of them and each is like the others.
bool told_together(const Accounts& accounts, record::Role role);
// "20 compile workers: 7.8 GiB together, constant."
std::vector<std::string> group_sentences(const Accounts& accounts);
// "37 processes came and went; the largest held 812 MiB."
std::string gone_sentence(const Accounts& accounts);
// "Where train.py allocates, and what grew from 10 s to 6 min": of a process with profiles.
std::string sites_heading(const Accounts& accounts, const Sites::OfProcess& of);
// "12 min, 200 steps, 720 samples": how much was seen.
std::string seen_phrase(const Accounts& accounts);
// Limits and how near the job came to them, each as label and value.
std::vector<Fact> limit_facts(const Accounts& accounts);
// What was looked at, how often and with what. `recording`: its path, where there is one. The id of
// a fact that is a command or a path is "code".
std::vector<Fact> how_measured(const Accounts& accounts, const std::string& recording);

}  // namespace tidegauge::view
