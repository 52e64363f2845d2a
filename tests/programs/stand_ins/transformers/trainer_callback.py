# SPDX-License-Identifier: Apache-2.0
class CallbackHandler:
    def on_step_end(self, args, state, control):
        if control == "raise":
            raise RuntimeError("a callback of the user's")
        return control

    def on_epoch_begin(self, args, state, control):
        return control
