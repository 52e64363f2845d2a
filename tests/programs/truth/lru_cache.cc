// SPDX-License-Identifier: Apache-2.0
// A cache that throws out what was used least recently once it is full.
#include <list>
#include <unordered_map>
#include <vector>

#include "pace.h"

namespace {

class Cache {
 public:
  explicit Cache(std::size_t capacity) : capacity_(capacity) {}
  void get(int key) {
    const auto found = where_.find(key);
    if (found != where_.end()) {
      entries_.splice(entries_.begin(), entries_, found->second);
      return;
    }
    if (entries_.size() == capacity_) {
      where_.erase(entries_.back().key);
      entries_.pop_back();
    }
    entries_.push_front({key, std::vector<char>(200000, 1)});
    where_[key] = entries_.begin();
  }

 private:
  struct Entry {
    int key;
    std::vector<char> value;
  };
  std::size_t capacity_;
  std::list<Entry> entries_;
  std::unordered_map<int, std::list<Entry>::iterator> where_;
};

}  // namespace

int main(int argc, char** argv) {
  pace pace = pace_begin(argc, argv);
  Cache cache(600);
  double due = 0;
  while (pace_tick(&pace))
    for (due += 2600.0 / static_cast<double>(pace.ticks); due >= 1; --due)
      cache.get(static_cast<int>(5000 * pace_random(&pace)));
  return 0;
}
