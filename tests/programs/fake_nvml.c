// SPDX-License-Identifier: Apache-2.0
// A stand-in for NVIDIA's management library: two devices, and processes as a test sets them. The
// test reaches fake_nvml_* by loading the same file again. With FAKE_NVML_OLD it has the names of
// an old driver only.
#include <stddef.h>
#include <string.h>

enum { kDevices = 2, kMost = 256, kSuccess = 0, kInsufficientSize = 7, kGone = 15 };

struct list {
  unsigned count;
  unsigned pids[kMost];
  unsigned long long bytes[kMost];
};

static struct list compute[kDevices];
static struct list graphics[kDevices];
static size_t stride = 24;  // bytes of one entry
static int clears_first;    // writes zeros over the whole list before it fills it in
static int init_result;     // what nvmlInit_v2 answers
static unsigned devices = kDevices;
static int lost_device = -1;  // has no handle any more
static int running;           // started and not shut down

void fake_nvml_reset(void) {
  memset(compute, 0, sizeof compute);
  memset(graphics, 0, sizeof graphics);
  stride = 24;
  clears_first = 0;
  init_result = kSuccess;
  devices = kDevices;
  lost_device = -1;
}
void fake_nvml_add(int on_graphics, int device, unsigned pid, unsigned long long bytes) {
  struct list* list = on_graphics ? &graphics[device] : &compute[device];
  list->pids[list->count] = pid;
  list->bytes[list->count++] = bytes;
}
void fake_nvml_layout(size_t bytes, int clear) {
  stride = bytes;
  clears_first = clear;
}
void fake_nvml_fail_init(int result) {
  init_result = result;
}
void fake_nvml_devices(unsigned count, int lost) {
  devices = count;
  lost_device = lost;
}
int fake_nvml_running(void) {
  return running;
}

int nvmlInit_v2(void) {
  if (init_result == kSuccess) ++running;
  return init_result;
}
int nvmlShutdown(void) {
  --running;
  return kSuccess;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = devices;
  return kSuccess;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void** device) {
  if ((int)index == lost_device) return kGone;
  *device = &compute[index];
  return kSuccess;
}
int nvmlDeviceGetMemoryInfo(void* device, unsigned long long memory[3]) {
  memory[0] = 80ull << 30;
  memory[2] = (unsigned long long)((struct list*)device - compute + 1) << 30;
  memory[1] = memory[0] - memory[2];
  return kSuccess;
}

static int answer(const struct list* list, unsigned* room, unsigned char* entries) {
  if (*room < list->count) {
    *room = list->count;
    return kInsufficientSize;
  }
  if (clears_first) memset(entries, 0, *room * stride);
  for (unsigned i = 0; i < list->count; ++i) {
    unsigned char* entry = entries + i * stride;
    const unsigned whole_device = 0xFFFFFFFF;
    const unsigned long long protected_bytes = 0;
    memcpy(entry, &list->pids[i], 4);
    memcpy(entry + 8, &list->bytes[i], 8);
    if (stride >= 24) {
      memcpy(entry + 16, &whole_device, 4);
      memcpy(entry + 20, &whole_device, 4);
    }
    if (stride >= 32) memcpy(entry + 24, &protected_bytes, 8);
  }
  *room = list->count;
  return kSuccess;
}

#ifdef FAKE_NVML_OLD
int nvmlDeviceGetComputeRunningProcesses_v2(void* device, unsigned* room, void* entries) {
  return answer(device, room, entries);
}
#else
int nvmlDeviceGetComputeRunningProcesses_v3(void* device, unsigned* room, void* entries) {
  return answer(device, room, entries);
}
int nvmlDeviceGetGraphicsRunningProcesses_v3(void* device, unsigned* room, void* entries) {
  return answer(&graphics[(struct list*)device - compute], room, entries);
}
#endif
