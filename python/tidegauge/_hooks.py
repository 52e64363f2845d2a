# SPDX-License-Identifier: Apache-2.0
"""Steps, epochs, evaluations, checkpoints and compilations of a training loop, told to the gauge without a change to its code.

Run once, early in the life of an interpreter, with `mark`, `text`, `distinct_new` and `distinct_add` (probe/marks.h) as
globals: by the preloaded probe before `site` and `encodings` are there, by `import tidegauge` otherwise. It puts one
finder into sys.meta_path that waits for the frameworks; each is hooked in the submodule that defines the function, right
after its body has run, before anybody could copy the name. The rules:
- nothing of ours may raise into the job, print, start a thread, keep a file open or stay on an object of the job's;
- what torch.compile may trace begins with a look at is_compiling(), so that a graph never sees us;
- the job sends facts; which of them is the step is decided by the reader.
"""
import sys

STEP, EPOCH, PHASE_BEGIN, PHASE_END, DISTINCT, NOTE = 1, 2, 3, 4, 5, 6
FRAMEWORK, OPTIMIZER, LOADER = 2, 3, 4

MOST_KNOWN = 4096  # optimizers, loaders, data sets told apart; the rest share the last number


class Known:
    """Small numbers for objects, by identity: nothing is put on them, and none is kept alive."""

    def __init__(self):
        self.numbers = {}

    def number(self, thing):
        number = self.numbers.get(id(thing))
        if number is None:
            number = self.numbers[id(thing)] = min(len(self.numbers) + 1, MOST_KNOWN)
            if len(self.numbers) > MOST_KNOWN:
                self.numbers.clear()
        return number


def wrapped(original, new):
    """`new` in the clothes of `original`, so that pickle, inspect and docs see no difference."""
    for name in ("__module__", "__name__", "__qualname__", "__doc__"):
        try:
            setattr(new, name, getattr(original, name))
        except AttributeError:
            pass
    new.__wrapped__ = original
    return new


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


def in_phase(original, name):
    """`original` as a phase of its own, whether it returns or raises."""

    def phase(*args, **kwargs):
        begin(name)
        try:
            return original(*args, **kwargs)
        finally:
            end(name)

    return wrapped(original, phase)


def replace(owner, attribute, make):
    original = getattr(owner, attribute, None)
    if callable(original) and not hasattr(original, "__wrapped_by_tidegauge__"):
        new = make(original)
        new.__wrapped_by_tidegauge__ = True
        setattr(owner, attribute, new)


def after(owner, attribute, tell):
    """Calls tell(*args) after each call of owner.attribute; what it raises is dropped."""

    def make(original):
        def told(*args, **kwargs):
            result = original(*args, **kwargs)
            try:
                tell(*args)
            except Exception:
                pass
            return result

        return wrapped(original, told)

    replace(owner, attribute, make)


# ---- torch


def hook_optimizer(module):
    torch = sys.modules["torch"]
    steps = {}  # firings by optimizer
    inside = []  # optimizers whose step runs now, the outermost first
    known = Known()

    def before_step(optimizer, args, kwargs):
        if torch.compiler.is_compiling():
            return
        inside.append(optimizer)

    def after_step(optimizer, args, kwargs):
        if torch.compiler.is_compiling():
            return
        while inside and inside.pop() is not optimizer:
            pass  # one that raised left its entry behind
        if inside:
            return  # called from the step of another: super().step(), a sharded optimizer's parts
        number = known.number(optimizer)
        count = steps[number] = steps.get(number, 0) + 1
        mark(STEP, OPTIMIZER | number << 8, count)
        collections()

    module.register_optimizer_step_pre_hook(before_step)
    module.register_optimizer_step_post_hook(after_step)
    state["forget_open_steps"] = inside.clear


def hook_dataloader(module):
    known = Known()
    taken = {}  # batches of the present pass, by iterator

    def started(iterator, loader, *rest):
        state["forget_open_steps"]()
        number = known.number(loader)
        passes[number] = passes.get(number, 0) + 1
        mark(EPOCH, LOADER | number << 8, passes[number])
        if len(taken) > MOST_KNOWN:
            taken.clear()
        taken[id(iterator)] = (number, 0, batches_of(loader))

    def batch(iterator, *rest):
        entry = taken.get(id(iterator))
        if entry is None:
            return
        number, count, total = entry
        taken[id(iterator)] = (number, count + 1, total)
        mark(STEP, LOADER | number << 8, count + 1, total)

    def batches_of(loader):
        # The length of an iterable data set is a promise that torch remembers and warns about later.
        if getattr(loader, "_dataset_kind", None) != module._DatasetKind.Map:
            return 0
        return len(loader)

    passes = {}
    after(module._BaseDataLoaderIter, "__init__", started)
    after(module._BaseDataLoaderIter, "__next__", batch)
    # `for` looks the special method up on the class, and torch's subclasses inherit it.


def hook_fetch(module):
    import weakref

    sets = {}  # by data set, not by fetcher: that one is new every epoch

    def set_of(dataset):
        entry = sets.get(id(dataset))
        if entry is not None and entry[0]() is dataset:
            return entry
        size = len(dataset)
        if len(sets) > 64:
            sets.clear()
        entry = sets[id(dataset)] = (weakref.ref(dataset), distinct_new(size), size, len(sets) + 1)
        return entry

    def fetched(fetcher, indices, *rest):
        _, seen, size, number = set_of(fetcher.dataset)
        count = distinct_add(seen, indices if fetcher.auto_collation else (indices,))
        if count >= 0:
            mark(DISTINCT, LOADER | number << 8, count, size)

    after(module._MapDatasetFetcher, "fetch", fetched)


def hook_module(module):
    torch = sys.modules["torch"]
    evaluating = []  # modules that went from training to evaluation after a step, oldest first

    def make(original):
        def train(self, mode=True):
            if torch.compiler.is_compiling() or state["framework"] or self.training is mode:
                return original(self, mode)
            outermost, state["in_train"] = not state["in_train"], True
            try:
                return original(self, mode)
            finally:
                if outermost:
                    state["in_train"] = False
                    changed(self, mode)

        return wrapped(original, train)

    def changed(which, mode):
        key = id(which)
        if not mode and state["stepped"] and key not in evaluating:
            evaluating.append(key)
            del evaluating[:-8]
            begin("eval")
        elif mode and key in evaluating:
            evaluating.remove(key)
            end("eval")

    replace(module.Module, "train", make)


def hook_serialization(module):
    replace(module, "save", lambda original: in_phase(original, "save"))


def hook_safetensors(module):
    replace(module, "save_file", lambda original: in_phase(original, "save"))


def hook_checkpoint(module):
    replace(module, "save", lambda original: in_phase(original, "save"))


def hook_dynamo(module):
    # The class's methods: what is registered with it is lost at torch._dynamo.reset().
    handler = module.CompilationCallbackHandler
    before(handler, "run_start_callbacks", lambda *args: begin("compile"))
    after(handler, "run_end_callbacks", lambda *args: end("compile"))


def before(owner, attribute, tell):
    def make(original):
        def told(*args, **kwargs):
            try:
                tell(*args)
            except Exception:
                pass
            return original(*args, **kwargs)

        return wrapped(original, told)

    replace(owner, attribute, make)


# ---- frameworks


def hook_hf_callbacks(module):
    def step(handler, args, trainer_state, *rest):
        state["framework"] = True
        mark(STEP, FRAMEWORK, trainer_state.global_step, max(trainer_state.max_steps, 0))
        collections()

    def epoch(handler, args, trainer_state, *rest):
        state["framework"] = True
        mark(EPOCH, FRAMEWORK, int(trainer_state.epoch or 0) + 1, int(args.num_train_epochs))

    after(module.CallbackHandler, "on_step_end", step)
    after(module.CallbackHandler, "on_epoch_begin", epoch)


def hook_hf_trainer(module):
    replace(module.Trainer, "evaluation_loop", lambda original: in_phase(original, "eval"))
    replace(module.Trainer, "_save_checkpoint", lambda original: in_phase(original, "save"))


def hook_lightning(module):
    last = [0]

    def called(trainer, name, *rest):
        tell = events.get(name)
        if tell is not None:
            state["framework"] = True
            tell(trainer)

    def batch_end(trainer):
        # The counter stands still while gradients accumulate.
        if trainer.global_step != last[0]:
            last[0] = trainer.global_step
            mark(STEP, FRAMEWORK, trainer.global_step)
            collections()

    events = {
        "on_train_batch_end": batch_end,
        "on_train_epoch_start": lambda trainer: mark(EPOCH, FRAMEWORK, trainer.current_epoch + 1),
        "on_validation_start": lambda trainer: begin("eval"),
        "on_validation_end": lambda trainer: end("eval"),
        "on_test_start": lambda trainer: begin("eval"),
        "on_test_end": lambda trainer: end("eval"),
        "on_predict_start": lambda trainer: begin("predict"),
        "on_predict_end": lambda trainer: end("predict"),
    }
    after(module, "_call_callback_hooks", called)


def hook_deepspeed(module):
    def step(engine, *rest):
        state["framework"] = True
        mark(STEP, FRAMEWORK, engine.global_steps)

    after(module.DeepSpeedEngine, "step", step)


# ---- the garbage collector, by its own counters: a callback would cost at every collection


def collections():
    state["stepped"] = True
    now = monotonic()
    if now - state["collected_at"] < 1:
        return
    state["collected_at"] = now
    count = get_gc_stats()[2]["collections"]
    if count != state["collected"]:
        state["collected"] = count
        text(NOTE, FRAMEWORK, f"gc {count} full collections")


# ---- waiting for the imports


TARGETS = {
    "torch.optim.optimizer": hook_optimizer,
    "torch.utils.data.dataloader": hook_dataloader,
    "torch.utils.data._utils.fetch": hook_fetch,
    "torch.nn.modules.module": hook_module,
    "torch.serialization": hook_serialization,
    "torch._dynamo.callback": hook_dynamo,
    "torch.distributed.checkpoint.state_dict_saver": hook_checkpoint,
    "safetensors.torch": hook_safetensors,
    "transformers.trainer_callback": hook_hf_callbacks,
    "transformers.trainer": hook_hf_trainer,
    "lightning.pytorch.trainer.call": hook_lightning,
    "pytorch_lightning.trainer.call": hook_lightning,
    "deepspeed.runtime.engine": hook_deepspeed,
}

state = {
    "framework": False,  # a framework speaks for itself: its word wins over what modes suggest
    "in_train": False,
    "stepped": False,
    "collected": 0,
    "collected_at": 0.0,
    "forget_open_steps": lambda: None,
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
        hook = TARGETS.pop(name, None)
        if hook is None:
            return None
        for finder in sys.meta_path:
            find = None if finder is Finder else getattr(finder, "find_spec", None)
            spec = None if find is None else find(name, path, target)
            if spec is not None:
                return hooked(spec, hook)
        return None

    @staticmethod
    def invalidate_caches():
        pass


def hooked(spec, hook):
    loader = spec.loader
    run = getattr(loader, "exec_module", None)
    if run is None:
        return spec

    def exec_module(module):
        del loader.exec_module  # the class's method is back
        run(module)
        apply(hook, module)

    try:
        loader.exec_module = exec_module
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
from time import monotonic

if has_ring and not any(getattr(finder, "__module__", "") == __name__ for finder in sys.meta_path):
    install()
