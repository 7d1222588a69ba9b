#!/usr/bin/env node
import { guardian } from "@souffleur/node/guardian"
import { uncaught } from "./Uncaught.ts"

// Runs `souffleur __guardian`, and loads nothing else. It is in memory as long as its watch.
process.on("uncaughtException", uncaught)
await guardian(process.argv[3] ?? "").catch(uncaught)
