# SPDX-License-Identifier: Apache-2.0
"""Steps, epochs, evaluations, checkpoints and compilations of a training loop, told to the gauge without a change to its code.

Run once, early in the life of an interpreter, with `mark`, `text`, `around` and the like (probe/marks.h) as globals: by the preloaded probe before `site` and `encodings` are there, by `import tidegauge` otherwise. It puts one
finder into sys.meta_path that waits for the frameworks; each is hooked in the submodule that defines the function, right
after its body has run, before anybody could copy the name. The rules:
- nothing of ours may raise into the job, print, start a thread, keep a file open or stay on an object of the job's;
- what torch.compile may trace begins with a look at is_compiling(), so that a graph never sees us;
- an exception of the job's passes through us without a line in its traceback: what we put around a function runs in C;
- the job sends facts; which of them is the step is decided by the reader.
"""
import sys

STEP, EPOCH, PHASE_BEGIN, PHASE_END, DISTINCT, NOTE = 1, 2, 3, 4, 5, 6
FRAMEWORK, OPTIMIZER, LOADER = 2, 3, 4
HF, LIGHTNING, DEEPSPEED = 1, 2, 3  # one that drives another has the lower number: it counts for both

MAYBE_NESTED, LOOK_AROUND = 1, 2  # what step_end may ask for

MOST_KNOWN = 4096  # optimizers, loaders, data sets told apart; after those, numbers are given out anew
MOST_DATA_SETS = 64
MOST_EVALUATING = 8


class Known:
    """Small numbers for objects, by identity: nothing is put on them, and none is kept alive."""

    def __init__(self):
        self.numbers = {}

    def number(self, thing):
        number = self.numbers.get(id(thing))
        if number is None:
            if len(self.numbers) >= MOST_KNOWN:
                self.numbers.clear()
            number = self.numbers[id(thing)] = len(self.numbers) + 1
        return number


data_sets = Known()


def dressed(new, original):
    """`new` in the clothes of `original`, so that pickle, inspect and docs see no difference."""
    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        try:
            setattr(new, name, getattr(original, name))
        except AttributeError:
            pass
    new.__wrapped__ = original
    return new


def around_class():
    """The class of functions with something of ours before or after them; made late, when functools can be loaded."""
    if state["around_class"] is None:
        from functools import partial
        from types import MethodType

        class Around(partial):
            # Called, it goes from C to C; pickled, it is its name. Looked up on an object it is a method, where the
            # interpreter has no faster way.
            def __get__(self, thing, owner=None):
                return self if thing is None else MethodType(self, thing)

            def __reduce__(self):
                return self.__qualname__

        state["around_class"] = Around
    return state["around_class"]


def replace(owner, attribute, before=None, after=None, always=False):
    """Calls before and after, with the same arguments, around each call of owner.attribute; what they raise is dropped.
    `always`: after a call that raised, too."""
    original = getattr(owner, attribute, None)
    Around = around_class()
    if callable(original) and not isinstance(original, Around):
        new = dressed(Around(around, original, before, after, always), original)
        setattr(owner, attribute, method(new) if isinstance(owner, type) else new)


# ---- phases: the outermost begin and the last end of each name

depths = {}


def begin(name):
    depth = depths[name] = depths.get(name, 0) + 1
    if depth == 1:
        text(PHASE_BEGIN, FRAMEWORK, name)


def end(name):
    depth = depths[name] = max(depths.get(name, 1) - 1, 0)
    if depth == 0:
        text(PHASE_END, FRAMEWORK, name)


def in_phase(owner, attribute, name):
    """Makes each call of owner.attribute a phase, whether it returns or raises."""
    replace(owner, attribute, lambda *args, **more: begin(name), lambda *args, **more: end(name), True)


# ---- torch


def hook_optimizer(module):
    torch = sys.modules["torch"]

    # As little Python as can be: at a step all caches are cold.
    def before_step(optimizer, args, kwargs):
        if not torch.compiler.is_compiling():
            step_begin(optimizer)

    def after_step(optimizer, args, kwargs):
        if not torch.compiler.is_compiling():
            asked = step_end(optimizer)
            if asked:
                rarely(asked, optimizer)

    def rarely(asked, optimizer):
        if asked == MAYBE_NESTED:
            if within_another(sys._getframe(2)):
                return  # super().step(), a sharded optimizer's parts
            asked = step_alone(optimizer)  # a step that raised had not ended
        if asked == LOOK_AROUND:
            look_around()

    def within_another(frame):
        # Our hooks are called by torch's wrapper around each step; another one further up is the step that calls us.
        code, frame = frame.f_code, frame.f_back
        while frame is not None and frame.f_code is not code:
            frame = frame.f_back
        return frame is not None

    module.register_optimizer_step_pre_hook(before_step)
    module.register_optimizer_step_post_hook(after_step)


def hook_dataloader(module):
    known = Known()
    passes = {}  # by loader

    def started(iterator, loader, *rest, **more):
        number = known.number(loader)
        passes[number] = passes.get(number, 0) + 1
        mark(EPOCH, LOADER | number << 8, passes[number], 0, data_sets.number(loader.dataset))
        batch_begin(iterator, LOADER | number << 8, batches_of(loader))

    def again(iterator, loader, first_iter=False, **more):
        # Persistent workers: the next pass is the same iterator. The first call is part of its making.
        if not first_iter:
            started(iterator, loader)

    def batches_of(loader):
        # The length of an iterable data set is a promise that torch remembers and warns about later.
        if getattr(loader, "_dataset_kind", None) != module._DatasetKind.Map:
            return 0
        return len(loader)

    # `for` looks the special method up on the class, and torch's subclasses inherit it.
    replace(module._BaseDataLoaderIter, "__init__", after=started)
    replace(module._BaseDataLoaderIter, "__next__", after=batch_end)
    replace(module._MultiProcessingDataLoaderIter, "_reset", after=again)


def hook_fetch(module):
    from weakref import ref

    sets = {}  # by data set, not by fetcher: that one is new every epoch

    def new_set(dataset):
        if len(sets) > MOST_DATA_SETS:
            sets.clear()
        size = len(dataset)
        try:
            alive = ref(dataset)
        except TypeError:  # a list: its address must do, it is not ours to keep alive
            alive = None
        entry = sets[id(dataset)] = (alive, distinct_new(size), size, LOADER | data_sets.number(dataset) << 8)
        return entry

    def fetched(fetcher, indices, *rest, **more):
        dataset = fetcher.dataset
        entry = sets.get(id(dataset))
        if entry is None or (entry[0] is not None and entry[0]() is not dataset):
            entry = new_set(dataset)
        count = distinct_add(entry[1], indices if fetcher.auto_collation else (indices,))
        if count >= 0:
            mark(DISTINCT, entry[3], count, entry[2])

    replace(module._MapDatasetFetcher, "fetch", after=fetched)


def hook_module(module):
    torch = sys.modules["torch"]
    original = module.Module.train
    evaluating = []  # modules that went from training to evaluation after a step, oldest first

    # In Python, because torch.compile has to be able to look into it.
    def train(self, mode=True):
        if torch.compiler.is_compiling() or state["framework"] or self.training is mode or state["in_train"]:
            return original(self, mode)
        state["in_train"] = True
        try:
            return original(self, mode)
        finally:
            state["in_train"] = False
            changed(id(self), mode)

    def changed(key, mode):
        if not mode and state["stepped"] and key not in evaluating:
            evaluating.append(key)
            del evaluating[:-MOST_EVALUATING]
            begin("eval")
        elif mode and key in evaluating:
            evaluating.remove(key)
            end("eval")

    def leave_alone():
        # Some trainers call it for each batch, and it calls itself for each module inside.
        if module.Module.__dict__.get("train") is train:
            module.Module.train = original

    if not hasattr(original, "__wrapped__"):
        module.Module.train = dressed(train, original)
        state["leave_modes_alone"] = leave_alone


def hook_save(module):
    in_phase(module, "save", "save")


def hook_save_file(module):
    in_phase(module, "save_file", "save")


def hook_dynamo(module):
    # The class's methods: what is registered with it is lost at torch._dynamo.reset().
    handler = module.CompilationCallbackHandler
    replace(handler, "run_start_callbacks", before=lambda *args, **more: begin("compile"))
    replace(handler, "run_end_callbacks", after=lambda *args, **more: end("compile"))


# ---- frameworks


def speaks_for_itself():
    state["framework"] = state["stepped"] = True
    state["leave_modes_alone"]()


def hook_hf_callbacks(module):
    source = FRAMEWORK | HF << 8

    def step(handler, args, trainer_state, control=None, **more):
        mark(STEP, source, trainer_state.global_step, trainer_state.max_steps)

    def epoch(handler, args, trainer_state, control=None, **more):
        speaks_for_itself()
        mark(EPOCH, source, int(trainer_state.epoch or 0) + 1, int(args.num_train_epochs))

    replace(module.CallbackHandler, "on_step_end", after=step)
    replace(module.CallbackHandler, "on_epoch_begin", after=epoch)


def hook_hf_trainer(module):
    in_phase(module.Trainer, "evaluation_loop", "eval")
    in_phase(module.Trainer, "_save_checkpoint", "save")


def hook_lightning(module):
    source = FRAMEWORK | LIGHTNING << 8
    last = [0]

    def called(trainer, name, *rest, **more):
        tell = events.get(name)
        if tell is not None:
            tell(trainer)

    def batch_end(trainer):
        # The counter stands still while gradients accumulate.
        if trainer.global_step != last[0]:
            last[0] = trainer.global_step
            mark(STEP, source, trainer.global_step)

    def epoch(trainer):
        speaks_for_itself()
        mark(EPOCH, source, trainer.current_epoch + 1)

    def evaluation(trainer):
        speaks_for_itself()  # the first one comes before training
        begin("eval")

    events = {
        "on_train_batch_end": batch_end,
        "on_train_epoch_start": epoch,
        "on_validation_start": evaluation,
        "on_validation_end": lambda trainer: end("eval"),
        "on_test_start": evaluation,
        "on_test_end": lambda trainer: end("eval"),
        "on_predict_start": lambda trainer: begin("predict"),
        "on_predict_end": lambda trainer: end("predict"),
    }
    replace(module, "_call_callback_hooks", after=called)


def hook_deepspeed(module):
    source = FRAMEWORK | DEEPSPEED << 8

    def step(engine, *rest, **more):
        if not state["framework"]:
            speaks_for_itself()
        mark(STEP, source, engine.global_steps)  # stands still while gradients accumulate

    replace(module.DeepSpeedEngine, "step", after=step)


# ---- the garbage collector, by its own counters: a callback would cost at every collection


def look_around():
    """At the first step, and then at most once a second."""
    state["stepped"] = True
    count = get_gc_stats()[2]["collections"]
    if count != state["collected"]:
        state["collected"] = count
        text(NOTE, FRAMEWORK, f"gc: {count} full collections")


# ---- waiting for the imports


TARGETS = {
    "torch.optim.optimizer": hook_optimizer,
    "torch.utils.data.dataloader": hook_dataloader,
    "torch.utils.data._utils.fetch": hook_fetch,
    "torch.nn.modules.module": hook_module,
    "torch.serialization": hook_save,
    "torch._dynamo.callback": hook_dynamo,
    "torch.distributed.checkpoint.state_dict_saver": hook_save,
    "safetensors.torch": hook_save_file,
    "transformers.trainer_callback": hook_hf_callbacks,
    "transformers.trainer": hook_hf_trainer,
    "lightning.pytorch.trainer.call": hook_lightning,
    "pytorch_lightning.trainer.call": hook_lightning,
    "deepspeed.runtime.engine": hook_deepspeed,
}

state = {
    "framework": False,  # one speaks for itself: its word wins over what modes suggest
    "leave_modes_alone": lambda: None,
    "in_train": False,
    "stepped": False,
    "around_class": None,
    "collected": 0,
}


def apply(hook, module):
    try:
        hook(module)
    except Exception:
        pass  # another version of the framework: the job goes on, without these marks


class Finder:
    """Lets the other finders find a module that we wait for, and runs our hook when its body has run."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in TARGETS:
            return None
        for finder in sys.meta_path:
            find = None if finder is Finder else getattr(finder, "find_spec", None)
            spec = None if find is None else find(name, path, target)
            if spec is not None:
                return hooked(spec, name)
        return None

    @staticmethod
    def invalidate_caches():
        pass


def hooked(spec, name):
    loader = spec.loader
    run = getattr(loader, "exec_module", None)
    if run is None or "exec_module" in getattr(loader, "__dict__", ()):
        return spec

    def executed(module):
        if module.__name__ != name:
            return  # a loader that serves many modules
        del loader.exec_module  # the class's method is back
        hook = TARGETS.pop(name, None)
        if hook is not None:
            hook(module)

    try:
        loader.exec_module = around_class()(around, run, None, executed, False)
    except Exception:
        pass  # a loader that takes no attributes is left alone
    return spec


def install():
    for name in list(TARGETS):
        module = sys.modules.get(name)
        if module is not None:
            apply(TARGETS.pop(name), module)
    sys.meta_path.insert(0, Finder)


from gc import get_stats as get_gc_stats

if has_ring and not any(getattr(finder, "__module__", "") == __name__ for finder in sys.meta_path):
    install()
