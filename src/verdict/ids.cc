// SPDX-License-Identifier: Apache-2.0
#include "verdict/verdict.h"

namespace tidegauge::verdict {

const char* id_of(Class value) {
  switch (value) {
    case Class::Leak:
      return "leak";
    case Class::WarmUp:
      return "warm_up";
    case Class::Spikes:
      return "spikes";
    case Class::Sawtooth:
      return "sawtooth";
    case Class::Steady:
      return "steady";
    case Class::Shift:
      return "shift";
    case Class::Undecided:
      break;
  }
  return "undecided";
}

const char* id_of(Kind value) {
  switch (value) {
    case Kind::Total:
      return "total";
    case Kind::Rss:
      return "rss";
    case Kind::Anon:
      return "anon";
    case Kind::File:
      return "file";
    case Kind::Shmem:
      return "shmem";
    case Kind::Swap:
      return "swap";
    case Kind::Private:
      return "private";
    case Kind::Pss:
      return "pss";
    case Kind::Gpu:
      return "gpu";
    case Kind::Other:
      break;
  }
  return "other";
}

const char* id_of(Tie value) {
  switch (value) {
    case Tie::Time:
      return "time";
    case Tie::Step:
      return "step";
    case Tie::FirstPass:
      return "first_pass";
    case Tie::Epoch:
      return "epoch";
    case Tie::Eval:
      return "eval";
    case Tie::Save:
      return "save";
    case Tie::Compile:
      return "compile";
    case Tie::Phase:
      return "phase";
    case Tie::None:
      break;
  }
  return nullptr;
}

}  // namespace tidegauge::verdict
