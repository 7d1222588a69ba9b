#!/usr/bin/env node
import { keepSign } from "@souffleur/node/hook"
import { hookReader } from "./agent/HookReader.ts"

// As every command has it (`Uncaught.ts`), without what that loads: a tool call of the agent waits.
process.on("uncaughtException", (error) => {
  const debugging = (process.env["SOUFFLEUR_DEBUG"] ?? "") !== ""
  process.stderr.write(`souffleur: its hook has a defect of its own${debugging ? `: ${error.stack}` : ""}\n`)
  process.exit(70)
})

// `souffleur hook`, and nothing that it does not need.
await keepSign(hookReader)
