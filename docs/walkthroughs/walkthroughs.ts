import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Effect, FileSystem } from "effect"
import { fileURLToPath } from "node:url"
import { nights } from "./Nights.ts"
import { recoveries } from "./StandInRecoveries.ts"
import { contentsOf, pageOf } from "./Walkthrough.ts"

/**
 * `pnpm walkthroughs` plays recoveries on real processes and prints a page of each into this folder: the log, what the
 * agents were told, `souffleur why`, and the rows of comms. A name plays that one alone.
 */
const main = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  const wanted = process.argv.slice(2)
  const all = [...recoveries, ...nights]
  const write = (name: string, text: string) =>
    files.writeFileString(fileURLToPath(new URL(`${name}.md`, import.meta.url)), text)
  for (const one of all) {
    if (wanted.length > 0 && !wanted.includes(one.name)) continue
    yield* write(one.name, pageOf(one, yield* Effect.scoped(one.play)))
    yield* Console.log(one.name)
  }
  yield* write("README", contentsOf(all))
}).pipe(Effect.provide(NodeServices.layer))
NodeRuntime.runMain(main)
