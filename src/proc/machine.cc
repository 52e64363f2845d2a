// SPDX-License-Identifier: Apache-2.0
#include "proc/machine.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <utility>

#include "proc/meminfo.h"
#include "proc/root.h"

namespace tidegauge::proc {

namespace {

// By path each time: a descriptor kept open would hold the mount against an umount.
void add_dev_shm(record::Machine& machine, const std::string& path) {
  struct statfs info {};
  if (::statfs(path.c_str(), &info) != 0 || info.f_type != TMPFS_MAGIC) return;
  if (info.f_blocks == 0) return;  // mounted with size=0: no limit, and no count either
  const auto block = static_cast<std::uint64_t>(info.f_bsize);
  machine.dev_shm_total = info.f_blocks * block;
  machine.dev_shm_used = (info.f_blocks - info.f_bfree) * block;
}

}  // namespace

MachineReader::MachineReader(UniqueFd meminfo, UniqueFd pressure, std::string dev_shm)
    : meminfo_(std::move(meminfo)), pressure_(std::move(pressure)), dev_shm_(std::move(dev_shm)) {}

Result<MachineReader> MachineReader::open(const Roots& roots) {
  const auto root = Root::open(roots.proc);
  if (!root) return root.error();
  auto meminfo = root->open_file("meminfo");
  if (!meminfo) return meminfo.error();
  auto pressure = root->open_file("pressure/memory");
  MachineReader reader(std::move(*meminfo), pressure ? std::move(*pressure) : UniqueFd(),
                       roots.dev_shm);
  if (!reader.read().total) return Error{Reason::Malformed, "meminfo: no MemTotal in it"};
  return reader;
}

record::Machine MachineReader::read() {
  record::Machine machine;
  if (const auto text = read_piece(meminfo_.get(), text_, "meminfo")) {
    if (auto parsed = parse_meminfo(*text)) machine = *parsed;
  }
  add_dev_shm(machine, dev_shm_);
  if (!pressure_) return machine;
  if (const auto text = read_piece(pressure_.get(), text_, "pressure/memory")) {
    if (const auto pressure = parse_pressure(*text)) {
      machine.pressure_some = pressure->some;
      machine.pressure_full = pressure->full;
    }
  }
  return machine;
}

}  // namespace tidegauge::proc
