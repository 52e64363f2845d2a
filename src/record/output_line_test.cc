// SPDX-License-Identifier: Apache-2.0
#include "record/output_line.h"

#include <gtest/gtest.h>

#include <vector>

namespace tidegauge::record {
namespace {

Told steps(double number, std::optional<double> total, const std::string& counter) {
  return {.step = Tally{number, total}, .counter = counter};
}
Told with_epoch(Told told, double number, std::optional<double> total = {}) {
  told.epoch = Tally{number, total};
  return told;
}

struct Case {
  std::string line;
  Told told;
};

TEST(OutputLine, ReadsWhatTrainersWrite) {
  const std::vector<Case> cases{
      {" 12%|█▏        | 120/1000 [00:10<01:13, 12.0it/s]", steps(120, 1000, "bar ")},
      {"  0%|          | 0/1000 [00:00<?, ?it/s]", steps(0, 1000, "bar ")},
      {"train: 100%|██████████| 40/40 [01:02:03<00:00,  1.20s/it, loss=0.5]",
       steps(40, 40, "bar train")},
      {"Steps:  50%|#####     | 5/10 [00:10<00:10,  1.00step/s, lr=[0.1, 0.2]]",
       steps(5, 10, "bar steps")},
      {"120it [00:10, 11.9it/s]", steps(120, {}, "bar ")},
      {"train: 7batch [00:10,  1.4s/batch]", steps(7, {}, "bar train")},
      // Lightning
      {"Epoch 3:  40%|████      | 40/100 [00:10<00:15,  3.98it/s, v_num=0, train_loss=0.123]",
       with_epoch(steps(40, 100, "bar epoch"), 3)},
      {"Epoch 1/3:  50%|█████     | 2/4 [00:01<00:01,  2.00it/s]",
       with_epoch(steps(2, 4, "bar epoch"), 1, 3)},
      // bars of epochs
      {"Epochs:  30%|███       | 3/10 [00:10<00:20,  3.00s/it]",
       with_epoch({.counter = "bar epochs"}, 3, 10)},
      {" 30%|███       | 3/10 [00:10<00:20,  3.00s/epoch]", with_epoch({.counter = "bar "}, 3, 10)},
      // HF Trainer, 4 and 5
      {"{'loss': 1.23, 'grad_norm': 0.5, 'learning_rate': 5e-05, 'epoch': 0.12}",
       with_epoch({.counter = "trainer"}, 0.12)},
      {"{'eval_loss': '1.1', 'eval_runtime': '3.2', 'epoch': '2'}",
       with_epoch({.counter = "trainer"}, 2)},
      // Keras 2 and 3
      {"Epoch 2/10", with_epoch({.counter = "epoch"}, 2, 10)},
      {" 120/1875 [>.............................] - ETA: 5s - loss: 0.3",
       steps(120, 1875, "keras")},
      {"1875/1875 [==============================] - 5s 3ms/step - loss: 0.2",
       steps(1875, 1875, "keras")},
      {"  16/1875 ━━━━━━━━━━━━━━━━━━━━ 5s 3ms/step - accuracy: 0.1", steps(16, 1875, "keras")},
      // words
      {"step 120/1000", steps(120, 1000, "step")},
      {"Step: 120, loss: 0.3", steps(120, {}, "step")},
      {"iter 300: loss 2.1052, time 31.20ms", steps(300, {}, "iter")},
      {"Iteration 300 of 1000", steps(300, 1000, "iteration")},
      {"2024-05-06 10:11:12,123 INFO train: global_step=512 loss=0.1",
       steps(512, {}, "global_step")},
      {"[epoch 2][step 40] loss 0.1", with_epoch(steps(40, {}, "step"), 2)},
      {"Epoch [2/10], Step [40/100], Loss: 0.5", with_epoch(steps(40, 100, "step"), 2, 10)},
      {"Epoch: [2][  40/5005]\tTime  0.1 ( 0.2)", with_epoch(steps(40, 5005, "epoch step"), 2)},
      {"Train Epoch: 1 [640/60000 (1%)]\tLoss: 2.3", with_epoch({.counter = "epoch"}, 1)},
      {R"({"step": 40, "loss": 0.1})", steps(40, {}, "step")},
  };
  for (const auto& [line, told] : cases) {
    const auto got = parse_output_line(line);
    ASSERT_TRUE(got) << line;
    EXPECT_EQ(got->counter, told.counter) << line;
    EXPECT_EQ(got->step.has_value(), told.step.has_value()) << line;
    EXPECT_EQ(got->epoch.has_value(), told.epoch.has_value()) << line;
    EXPECT_EQ(*got, told) << line;
  }
}

TEST(OutputLine, LeavesAloneWhatIsNotTraining) {
  for (const std::string line : {
           "",
           "]",
           "hello world",
           "Downloading:  12%|█▏        | 12.0M/100M [00:10<01:13, 12.0MB/s]",
           "model.safetensors:  12%|█▏        | 12/100 [00:10<01:13, 12.0MB/s]",
           "Map:  12%|█▏        | 120/1000 [00:10<01:13, 12.0 examples/s]",
           "Loading checkpoint shards:  50%|█████     | 1/2 [00:10<00:10, 10.0s/it]",
           "Tokenizing:  50%|█████     | 1/2 [00:10<00:10, 10.0s/it]",
           "Validation DataLoader 0:  50%|█████     | 1/2 [00:10<00:10, 10.0s/it]",
           "Sanity Checking DataLoader 0:  50%|█████     | 1/2 [00:10<00:10, 10.0s/it]",
           "val:  50%|█████     | 1/2 [00:10<00:10, 10.0s/it]",
           "Epoch 2 val:  50%|█████     | 1/2 [00:10<00:10, 10.0s/it]",
           " 77%|█▏        | 120/1000 [00:10<01:13, 12.0it/s]",  // the share is not that
           " 12%|█▏        | 1000/120 [00:10<01:13, 12.0it/s]",  // more than all
           " 12%|█▏        | 120/1000 [00:10<01:13, 12.0it/s",   // not closed
           "12%|",
           "eval step 3/10",
           "Validation: iter 3",
           "max_steps: 1000",
           "time per step 0.12 s",
           "step 1.5",
           "step 12k",
           "stepping 12",
           "footstep 12",
           "step 120/100",
           "step 99999999999999999999999999",
           "batch size 32",
           "{'eval_runtime': 3.2, 'epoch': 1.0}",
           "{'loss': 1, 'epoch': nan}",
           "{'loss': 1, 'epoch': -3}",
           "12/100 files",
           "12/100 [x]",
       }) {
    EXPECT_FALSE(parse_output_line(line)) << line;
  }
}

}  // namespace
}  // namespace tidegauge::record
