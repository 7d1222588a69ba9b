// Acts as another souffleur on the log. `append <stream> <events> <batch>` prints each acknowledged revision. `each
// <stream>` appends once to the log of every path that it reads.
import { EventLog } from "@souffleur/domain"
import { Cause, Console, Effect } from "effect"
import { createInterface } from "node:readline"
import { numbered } from "../../packages/domain/test/EventLogSuite.ts"
import { logAt } from "./OwnLog.ts"

const [path, mode, stream = "shared", events = "1", batch = "1"] = process.argv.slice(2)

const append = Effect.gen(function* () {
  const log = yield* EventLog
  let revision = 0
  for (let n = 1; n <= Number(events); n++) {
    yield* Effect.gen(function* () {
      revision = yield* log.append(stream, revision, numbered(process.pid * 1000 + n, Number(batch)))
    }).pipe(
      Effect.tapError(({ _tag }) =>
        _tag === "Conflict"
          ? Effect.map(log.read(stream, revision), (more) => void (revision = more.at(-1)?.revision ?? revision))
          : Effect.void
      ),
      Effect.retry({ while: ({ _tag }) => _tag === "Conflict" })
    )
    yield* Console.log(revision)
  }
})

if (mode === "each") {
  console.log("ready")
  for await (const heard of createInterface({ input: process.stdin })) {
    await Effect.runPromise(Effect.provide(append, logAt(heard)))
    console.log("closed")
  }
  process.exit()
}
const exit = await Effect.runPromiseExit(Effect.provide(append, logAt(path!)))
if (exit._tag === "Failure") {
  const error = Cause.squash(exit.cause)
  const typed = typeof error === "object" && error !== null && "_tag" in error && "reason" in error
  await Effect.runPromise(
    Console.log(typed ? `${String(error._tag)} ${String(error.reason)}` : `DEFECT ${String(error)}`)
  )
  process.exitCode = 1
}
