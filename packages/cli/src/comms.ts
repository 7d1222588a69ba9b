#!/usr/bin/env node
import { answer } from "@souffleur/comms/errand"
import { runErrands } from "@souffleur/node/errand"

// Runs `souffleur __comms`, and loads nothing else.
await runErrands(answer)
