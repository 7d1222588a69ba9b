#!/usr/bin/env node
import { answerNotice } from "@souffleur/node/notice"
import { deliver } from "@souffleur/notify/errand"
import { uncaught } from "./Uncaught.ts"

// Runs `souffleur __notify`, and loads nothing else.
process.on("uncaughtException", uncaught)
void answerNotice(deliver).catch(uncaught)
