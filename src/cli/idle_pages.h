// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tidegauge::cli {

// Gives back pages of our program and its libraries that only starting up needed: half of all that
// we hold while watching. What is used again comes back from the page cache, a page at a time.
void give_back_startup_pages();

}  // namespace tidegauge::cli
