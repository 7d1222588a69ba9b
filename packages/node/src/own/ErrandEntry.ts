import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { createInterface } from "node:readline"
import { Worker } from "node:worker_threads"
import type { Sqlite } from "@souffleur/eventlog"
import { type Effect, type FileSystem, Layer, ManagedRuntime } from "effect"
import { answerRows } from "../sqlite/ForeignRows.ts"
import { layerSqlite } from "../sqlite/SqliteClient.ts"

/**
 * Milliseconds of one errand at most. It is longer than the caller waits, so that the process ends even if the caller
 * is dead.
 */
const timeoutMillis = 5000

/**
 * Source of a thread that kills this process when one errand takes too long. A call of SQLite that does not return
 * cannot be ended otherwise, and the caller may be dead. `cell` is the number of the current errand, or 0.
 */
const watchman = `
const { cell, timeoutMillis } = require("node:worker_threads").workerData
for (;;) {
  const errand = Atomics.load(cell, 0)
  if (errand === 0) Atomics.wait(cell, 0, 0)
  else if (Atomics.wait(cell, 0, errand, timeoutMillis) === "timed-out") process.kill(process.pid, "SIGKILL")
}`

/**
 * Answers each line of standard input with one line, until the input ends because the caller is gone. The first line
 * that it writes is empty: it is ready. Rows of databases are answered here, and all else by `answer`.
 */
export const runErrands = async (
  answer: (line: string) => Effect.Effect<string, never, Sqlite | FileSystem.FileSystem>
): Promise<void> => {
  const cell = new Int32Array(new SharedArrayBuffer(4))
  const resourceLimits = { maxOldGenerationSizeMb: 8, maxYoungGenerationSizeMb: 1, stackSizeMb: 1 }
  const thread = new Worker(watchman, { eval: true, resourceLimits, workerData: { cell, timeoutMillis } })
  thread.unref()
  const runtime = ManagedRuntime.make(Layer.provideMerge(layerSqlite, NodeFileSystem.layer))
  const now = (errand: number) => {
    Atomics.store(cell, 0, errand)
    Atomics.notify(cell, 0)
  }
  let errand = 0
  process.stdout.write("\n")
  for await (const line of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
    errand += 1
    now(errand)
    const text = answerRows(line) ?? (await runtime.runPromise(answer(line)))
    now(0)
    process.stdout.write(`${text}\n`)
  }
  process.exit()
}
