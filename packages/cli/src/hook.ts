#!/usr/bin/env node
import { keepSign } from "@souffleur/node/hook"
import { beginning, hookReader } from "./agent/HookReader.ts"

// The same handler as in `Uncaught.ts`, without its modules, because a tool call of the agent waits.
process.on("uncaughtException", (error) => {
  const debugging = (process.env["SOUFFLEUR_DEBUG"] ?? "") !== ""
  process.stderr.write(`souffleur: its hook failed because of a bug${debugging ? `: ${error.stack}` : ""}\n`)
  process.exit(70)
})

// Runs `souffleur hook`, and loads nothing else.
const [node = "", self = "", , ...words] = process.argv
void keepSign(hookReader, words, [node, self.replace(/[^/]*$/u, "souffleur.cjs"), ...beginning])
