#!/usr/bin/env node
import { answer } from "@souffleur/comms/errand"
import { runErrands } from "@souffleur/node/errand"

// `souffleur __comms`, and nothing that it does not need.
await runErrands(answer)
