// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tidegauge::cli {

// Gives back pages of the heap that are free: those that a judgement took.
void give_back_free_heap();
// Gives back pages of our program and its libraries, half of all that we hold while watching. What
// only starting up or judging every single process needed is not needed soon; what is used again
// comes back from the page cache.
void give_back_idle_code();

}  // namespace tidegauge::cli
