#!/usr/bin/env node
import { defectName } from "@souffleur/domain"
import { guardian } from "@souffleur/node/guardian"

// The same handler as in `Uncaught.ts`, without its modules, because it is in memory as long as its watch.
process.on("uncaughtException", (error) => {
  const debugging = (process.env["SOUFFLEUR_DEBUG"] ?? "") !== ""
  process.stderr.write(
    `souffleur: its guardian failed because of a bug (${defectName(error)})${debugging ? `: ${error.stack}` : ""}\n`
  )
  process.exit(70)
})

// Runs `souffleur __guardian`, and loads nothing else.
void guardian(process.argv[3] ?? "")
