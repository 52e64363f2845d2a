// SPDX-License-Identifier: Apache-2.0
#include "view/words.h"

#include <gtest/gtest.h>

#include <regex>

#include "base/text.h"
#include "view/any_verdict.h"
#include "view/phrases.h"

namespace tidegauge::view {
namespace {

TEST(Sentences, BeginWithACapitalButNamesStayAsTheyAre) {
  EXPECT_EQ(as_sentence("pools would have filled up"), "Pools would have filled up.");
  EXPECT_EQ(as_sentence("python3 (pid 12) accounts for 90 % of the growth."),
            "python3 (pid 12) accounts for 90 % of the growth.");
  EXPECT_EQ(as_sentence("a) z 1 (b (pid 12) accounts for 90 %"),
            "a) z 1 (b (pid 12) accounts for 90 %.");
}

using verdict::Class;
using verdict::Interval;
using verdict::Tie;
using verdict::Verdict;

// Ordinary blanks, so that expectations can be typed.
std::string plain(std::string text) {
  const std::string no_break = "\u00A0";
  for (auto at = text.find(no_break); at != text.npos; at = text.find(no_break)) {
    text.replace(at, no_break.size(), " ");
  }
  return text;
}

const Fact* find(const Words& said, const std::string& label) {
  for (const auto& fact : said.facts) {
    if (fact.label == label) return &fact;
  }
  return nullptr;
}

Verdict of_class(Class klass) {
  Verdict v;
  v.klass = klass;
  v.subject.name = "train.py";
  v.confidence = 0.9;
  v.floor_bytes = v.first_bytes = 2 * kGiB;
  v.peak_bytes = 3 * kGiB;
  v.duration_seconds = 600;
  return v;
}

TEST(Words, TheIncidentAtStepSeventyIsNotDecidableAndSaysWhenItWillBe) {
  const auto said = words(incident_at_step_70());
  EXPECT_EQ(said.tag, "Cannot tell yet");
  EXPECT_EQ(said.tone, Tone::Wait);
  EXPECT_EQ(plain(said.headline), "Growing 171 MiB per step; step 103 will tell.");
  auto capped = incident_at_step_70();
  capped.needs->may_not_suffice = true;
  EXPECT_EQ(plain(words(capped).headline), "Growing 171 MiB per step; step 103 may tell.");
  EXPECT_EQ(plain(said.note), "Look again at step 103 (in about 3 min 20 s).");
  EXPECT_EQ(plain(said.lead),
            "The growth goes along with examples that are seen for the first time. If it is the "
            "first pass over the data, it ends at step 83 near 17.6 GiB. If it goes on, 32.0 GiB "
            "(RAM) is full in about 15 min (13 min to 18 min).");
  ASSERT_NE(find(said, "How fast"), nullptr);
  EXPECT_EQ(plain(find(said, "How fast")->value), "171 MiB per step");
  EXPECT_EQ(plain(find(said, "How fast")->detail),
            "1.10 GiB per minute; 165 MiB to 177 MiB per step");
  EXPECT_EQ(plain(find(said, "Until the limit")->value), "about 15 min if it goes on");
}

TEST(Words, TheIncidentAfterItsKneeIsNotALeakAndFits) {
  const auto said = words(incident_settled());
  EXPECT_EQ(said.tag, "Not a leak");
  EXPECT_EQ(said.tone, Tone::Good);
  EXPECT_EQ(plain(said.headline), "Growth ended at step 83, with the first pass over the data.");
  EXPECT_EQ(plain(said.note), "Memory grew and then stopped (warm-up). Confidence 97 %.");
  EXPECT_EQ(plain(said.lead),
            "train.py keeps 17.3 GiB and stays there. Evaluation adds 4.00 GiB for a while and "
            "gives it back (once so far). The peak of 22.5 GiB fits into 32.0 GiB (RAM).");
  EXPECT_EQ(plain(find(said, "How fast")->value), "no growth now");
  EXPECT_EQ(plain(find(said, "How fast")->detail),
            "before: 171 MiB per step; a leak of more than 6.00 MiB per minute is excluded");
  EXPECT_EQ(plain(find(said, "Until the limit")->value), "none in sight");
  EXPECT_EQ(plain(find(said, "Until the limit")->detail), "peak 22.5 GiB of 32.0 GiB (RAM)");
}

TEST(Words, ALeakSaysWhenItSinks) {
  auto v = of_class(Class::Leak);
  v.bytes_per_step = Interval{3 * kMiB, 2.8 * kMiB, 3.2 * kMiB};
  v.floor_bytes = 5 * kGiB;
  EXPECT_EQ(plain(words(v).headline), "Growing 3.00 MiB per step with no end in sight.");
  EXPECT_EQ(words(v).tone, Tone::Bad);
  v.limit_bytes = 8 * kGiB;
  v.limit_kind = "cgroup";
  v.forecast = verdict::Forecast{"cgroup", 8 * kGiB, 3000, 3600, 4500, 1};
  EXPECT_EQ(plain(words(v).headline),
            "Growing 3.00 MiB per step: 8.00 GiB (cgroup limit) is full in about 1 h.");
  EXPECT_EQ(plain(words(v).lead),
            "train.py holds 5.00 GiB now, 3.00 GiB more than at the start 10 min ago.");
  v.causes = {{.kind = "pixels", .bytes = 3ull << 30, .retained_by = "Lazy.rows[*]"}};
  EXPECT_NE(plain(words(v).lead).find("3.00 GiB of it are pixels, held by Lazy.rows[*]."),
            std::string::npos);
}

TEST(Words, ASlowLeakIsToldInAUnitThatOneCanPicture) {
  auto v = of_class(Class::Leak);
  v.bytes_per_minute = Interval{0.2 * kMiB, 0, 0};
  EXPECT_EQ(plain(words(v).headline), "Growing 12.0 MiB per hour with no end in sight.");
  v.bytes_per_minute = Interval{kMiB / 1440 * 0.5, 0, 0};
  EXPECT_EQ(plain(words(v).headline), "Growing 512 KiB per day with no end in sight.");
}

TEST(Words, AForecastOfARecordingThatCountsStepsIsInSteps) {
  auto v = incident_at_step_70();
  v.duration_seconds = 0;
  v.bytes_per_minute.reset();
  v.needs->seconds.reset();
  v.forecast->p5 = 90;
  v.forecast->p50 = 99.6;
  v.forecast->p95 = 110;
  const auto said = words(v);
  EXPECT_NE(plain(said.lead).find("is full in about 100 steps (90 steps to 110 steps)."),
            std::string::npos)
      << said.lead;
  EXPECT_EQ(said.note, "Look again at step 103.");
}

TEST(Words, UndecidedWarnsThatMemoryMayRunOutBeforeTheAnswer) {
  auto v = incident_at_step_70();
  v.needs = verdict::Needs{.seconds = 600, .may_run_out_before = true};
  EXPECT_EQ(plain(words(v).note), "Look again in about 10 min; memory may run out before then.");
  EXPECT_EQ(plain(words(v).headline),
            "Growing 171 MiB per step; 32.0 GiB (RAM) may be full in about 15 min.");
  v.forecast.reset();
  EXPECT_EQ(plain(words(v).headline), "Growing 171 MiB per step; another 10 min will tell.");
  v.needs = verdict::Needs{.steps = 1};
  EXPECT_EQ(words(v).note, "Look again after 1 more step.");
  v.needs.reset();
  EXPECT_EQ(words(v).note, "Look again later.");
  v.bytes_per_step.reset();
  v.bytes_per_minute.reset();
  EXPECT_EQ(words(v).headline, "Too little has been seen to judge.");
}

TEST(Words, AJobThatHasEndedIsSpokenOfInThePast) {
  auto v = incident_at_step_70();
  v.job_ended = true;
  const auto said = words(v);
  EXPECT_EQ(plain(said.headline),
            "Grew 171 MiB per step until its end; a run to step 103 would tell.");
  EXPECT_EQ(plain(said.note), "A run to step 103 would tell.");
  EXPECT_EQ(plain(find(said, "Until the limit")->value), "about 15 min had it gone on");
  EXPECT_NE(plain(said.lead).find("Had it gone on, 32.0 GiB (RAM) would have been full in about"),
            std::string::npos)
      << said.lead;
  v.needs = verdict::Needs{.seconds = 600, .may_not_suffice = true};
  v.duration_seconds = 1200;
  EXPECT_EQ(plain(words(v).note), "A run of 30 min might tell.");
  EXPECT_NE(plain(words(v).lead).find("at its end, "), std::string::npos) << words(v).lead;
  v.needs.reset();
  EXPECT_EQ(words(v).note, "A longer run would tell.");
}

TEST(Words, NoClassOfAJobThatHasEndedIsSpokenOfInThePresent) {
  const std::regex present(
      R"(\b(is|are|stays|keeps|holds|goes|come|comes|adds|fills|rises|now|will|so far|no end)\b)");
  for (const auto klass : {Class::Leak, Class::WarmUp, Class::Spikes, Class::Sawtooth,
                           Class::Steady, Class::Shift, Class::Undecided}) {
    for (const auto kind : {verdict::Kind::Total, verdict::Kind::Gpu}) {
      for (const bool settled : {true, false}) {
        auto v = of_class(klass);
        v.job_ended = true;
        v.subject.kind = kind;
        v.tied_to = verdict::Tie::FirstPass;
        v.bytes_per_minute = Interval{3 * kMiB, 2.8 * kMiB, 3.2 * kMiB};
        v.spikes = {.count = 2, .height_bytes = kGiB, .tied_to = verdict::Tie::Eval};
        if (settled) v.settled = verdict::Settled{.at_seconds = 5, .level_bytes = kGiB};
        const auto said = words(v);
        // What was found is told as a rule where it holds for this kind of program.
        const auto note = klass == Class::Undecided ? said.note : std::string();
        const auto all = plain(note + " " + said.headline + " " + said.lead);
        EXPECT_FALSE(std::regex_search(all, present)) << all;
        for (const auto& fact : said.facts) {
          EXPECT_NE(fact.value, "no growth now") << all;
        }
      }
    }
  }
}

TEST(Words, ALimitThatWasPassedIsBadNews) {
  for (const auto klass : {Class::Leak, Class::WarmUp, Class::Undecided, Class::Steady}) {
    auto v = of_class(klass);
    v.bytes_per_minute = Interval{3 * kMiB, 2.8 * kMiB, 3.2 * kMiB};
    v.limit_kind = "given";
    v.limit_bytes = 2.5 * kGiB;
    v.forecast = verdict::Forecast{"given", 2.5 * kGiB, 0, 0, 0, 1};
    const auto said = words(v);
    EXPECT_EQ(said.tone, Tone::Bad);
    EXPECT_EQ(find(said, "Until the limit")->value, "passed");
    EXPECT_EQ(plain(find(said, "Until the limit")->detail),
              "peak 3.00 GiB of 2.50 GiB (given limit)");
    EXPECT_EQ(plain(said.headline + said.lead).find("is full in"), std::string::npos);
  }
}

TEST(Words, NothingIsSaidOfMemoryThatWasNeverSeen) {
  Verdict v;
  v.needs = verdict::Needs{.why = "there are no samples"};
  EXPECT_EQ(words(v).lead, "There are no samples.");
}

TEST(Words, EveryOtherClassHasItsSentence) {
  EXPECT_EQ(plain(words(of_class(Class::Steady)).headline), "Memory stays at 2.00 GiB.");
  EXPECT_EQ(words(of_class(Class::Steady)).tag, "Steady");
  EXPECT_EQ(plain(words(of_class(Class::Sawtooth)).headline),
            "Memory fills up and empties again, between 2.00 GiB and 3.00 GiB.");

  auto spikes = of_class(Class::Spikes);
  spikes.spikes = {.count = 12, .height_bytes = 4 * kGiB, .tied_to = Tie::Eval};
  EXPECT_EQ(plain(words(spikes).headline),
            "Spikes of 4.00 GiB come and go with evaluation; the floor stays at 2.00 GiB.");
  spikes.spikes.tied_to = Tie::None;
  EXPECT_EQ(plain(words(spikes).headline),
            "Spikes of 4.00 GiB come and go; the floor stays at 2.00 GiB.");

  auto shift = of_class(Class::Shift);
  shift.settled = verdict::Settled{.at_step = 40, .level_bytes = 4 * kGiB};
  EXPECT_EQ(plain(words(shift).headline),
            "Memory jumped once by 2.00 GiB at step 40 and stays there.");
  shift.settled->level_bytes = 1 * kGiB;
  EXPECT_EQ(plain(words(shift).headline),
            "Memory fell once by 1.00 GiB at step 40 and stays there.");

  auto warming = of_class(Class::WarmUp);
  warming.bytes_per_step = Interval{kMiB, 0, 0};
  EXPECT_EQ(plain(words(warming).headline), "Still growing 1.00 MiB per step, but slowing down.");
  warming.settled = verdict::Settled{.at_seconds = 250, .level_bytes = kGiB};
  EXPECT_EQ(plain(words(warming).headline), "Growth ended after 4 min 10 s.");
  warming.tied_to = Tie::Compile;
  EXPECT_EQ(plain(words(warming).headline), "Growth ended after 4 min 10 s, after compilation.");
}

TEST(Words, TheKindOfMemoryIsNamedWhereItMatters) {
  auto v = of_class(Class::Leak);
  v.bytes_per_step = Interval{3 * kMiB, 0, 0};
  v.subject.kind = verdict::Kind::Gpu;
  EXPECT_EQ(plain(words(v).headline),
            "GPU memory is growing 3.00 MiB per step with no end in sight.");
  v.subject.kind = verdict::Kind::Shmem;
  v.klass = Class::Steady;
  EXPECT_EQ(plain(words(v).headline), "Shared memory stays at 2.00 GiB.");
}

TEST(Words, ACauseBecomesWhatPilesUpAndWhatHelps) {
  auto v = incident_settled();
  v.causes = {{.kind = "pixels",
               .bytes = static_cast<std::uint64_t>(17.3 * kGiB),
               .site = "ImageFile.load",
               .retained_by = "Lazy.rows[*]['image']",
               .remedy = "Open images on demand"}};
  const auto said = words(v);
  ASSERT_NE(find(said, "What piles up"), nullptr);
  EXPECT_EQ(plain(find(said, "What piles up")->value), "17.3 GiB of pixels");
  EXPECT_EQ(find(said, "What piles up")->detail,
            "allocated in ImageFile.load; held by Lazy.rows[*]['image']");
  EXPECT_EQ(find(said, "What helps")->value, "Open images on demand");
}

// Laws.

bool is_sentence(const std::string& text) {
  return text.size() > 5 && text.ends_with('.') && text.find("..") == text.npos &&
         text.find("  ") == text.npos && text == printable(text);
}

TEST(Words, AreSentencesWhateverTheVerdict) {
  EXPECT_TRUE(rc::check([] {
    const auto said = words(any_verdict());
    RC_ASSERT(!said.tag.empty());
    for (const auto& text : {said.note, said.headline, said.lead}) {
      RC_ASSERT(text.size() > 1u);
      RC_ASSERT(text.ends_with('.'));
      RC_ASSERT(text == printable(text));
      RC_ASSERT(text.size() < 2000u);
    }
    RC_ASSERT(said.facts.size() >= 3u);
    for (const auto& fact : said.facts) RC_ASSERT(!fact.label.empty() && !fact.value.empty());
  }));
}

TEST(Words, NeverShowANumberThatIsNone) {
  const std::regex nonsense(R"((^|[^\w])(-?nan|-?inf|-0)($|[^\w.])|-\d)");
  EXPECT_TRUE(rc::check([&] {
    auto v = any_verdict();
    v.subject.name = "train.py";
    v.spikes.phase = "warm";
    v.causes.clear();
    if (v.forecast) v.forecast->limit_kind = "ram";
    if (v.needs) v.needs->why = "it is early";
    const auto said = words(v);
    auto all = said.note + " | " + said.headline + " | " + said.lead;
    for (const auto& text : {said.note, said.headline, said.lead}) RC_ASSERT(is_sentence(text));
    for (const auto& fact : said.facts) all += " | " + fact.value + " | " + fact.detail;
    RC_LOG() << all;
    RC_ASSERT(!std::regex_search(plain(all), nonsense));
  }));
}

TEST(Words, NeverContradictTheClass) {
  EXPECT_TRUE(rc::check([] {
    auto v = any_verdict();
    v.subject.name = "train.py";
    if (v.needs) v.needs->why.clear();
    const auto said = words(v);
    const auto all = said.tag + " " + said.note + " " + said.headline + " " + said.lead;
    const auto says = [&](const char* text) { return all.find(text) != all.npos; };
    RC_LOG() << all;
    RC_ASSERT((said.tag == "Leak") == (v.klass == Class::Leak));
    RC_ASSERT((said.tag == "Cannot tell yet") == (v.klass == Class::Undecided));
    RC_ASSERT((said.tone == Tone::Wait) == (v.klass == Class::Undecided && !limit_passed(v)));
    if (v.klass == Class::Leak || v.klass == Class::Undecided) {
      RC_ASSERT(!says("Not a leak") && !says("Growth ended") && !says("stays there"));
      RC_ASSERT(said.tone != Tone::Good);
    } else {
      RC_ASSERT(!says("no end in sight") && !says("will tell") && !says("Look again"));
    }
    if (v.klass == Class::Undecided) RC_ASSERT(!says("Confidence"));
    if (v.settled && v.klass == Class::WarmUp) RC_ASSERT(!says("rowing") && !says("is full"));
    if (said.tone == Tone::Good) RC_ASSERT(!says("is full in"));
  }));
}

}  // namespace
}  // namespace tidegauge::view
