#!/usr/bin/env node
import { answer } from "@souffleur/comms/errand"
import { runErrands } from "@souffleur/node/errand"
import { uncaught } from "./Uncaught.ts"

// Runs `souffleur __database`, and loads nothing else.
process.on("uncaughtException", uncaught)
void runErrands(answer).catch(uncaught)
