import { Clock, Effect, FileSystem } from "effect"
import { child } from "./Child.ts"
import { startedWatch, until } from "./Resting.ts"
import { sessionFile, tokensInUse } from "./SessionFileBench.ts"
import { median, report, type Row } from "./Table.ts"

const rounds = 5
const limit = { atMost: 400 }
/** Milliseconds in which a bare Node starts on the machine that the limit means. */
const nodeStart = 36

/**
 * Makes an agent that notes when it runs (epoch ns), and under which pid. The first one takes the session that lies
 * ready. The others begin an empty one.
 */
const agentIn = (folder: string) => `#!/bin/sh
echo "$(date +%s%N) $$" >> ${folder}/ran
while [ "$1" != --session-id ]; do shift; done
mv ${folder}/session.jsonl ${folder}/claude/projects/-bench/$2.jsonl 2>/dev/null
exec sleep 1000000
`

/** Kills an agent with a session of so many megabytes, and returns the time until its successor runs, in ms. */
const killed = Effect.fnUntraced(function* (megabytes: number) {
  const fs = yield* FileSystem.FileSystem
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })
  yield* fs.makeDirectory(`${folder}/claude/projects/-bench`, { recursive: true })
  // A small session is resumed, and a full one is exported.
  const tokens = megabytes === 0 ? tokensInUse.few : tokensInUse.full
  const session = yield* sessionFile(`${folder}/session.jsonl`, Math.max(1, megabytes * 1_000_000), tokens)
  // An agent writes it over hours. Without this sync, the sync of the export would write all of it.
  yield* Effect.flatMap(fs.open(session), (file) => file.sync)
  const agent = `${folder}/claude-bench`
  yield* fs.writeFileString(agent, agentIn(folder), { mode: 0o755 })
  const ran = () =>
    fs.readFileString(`${folder}/ran`).pipe(
      Effect.map((text) =>
        text
          .trim()
          .split("\n")
          .map((line) => line.split(" ").map(Number) as [number, number])
      ),
      Effect.orElseSucceed((): Array<[number, number]> => [])
    )
  yield* Effect.addFinalizer(() =>
    Effect.flatMap(ran(), (all) => Effect.ignore(Effect.try(() => process.kill(all.at(-1)![1], "SIGKILL"))))
  )
  const { told } = yield* startedWatch(folder, ["--no-guardian", "--", agent, "-p", "work"], {
    SOUFFLEUR_CLAUDE_DIR: `${folder}/claude`,
    SOUFFLEUR_AGENT_COMMAND: agent,
    SOUFFLEUR_LAUNCHER: "headless"
  })
  // The watch rests. It has given back the memory of its start, and the code that was compiled for it.
  yield* Effect.sleep("12 seconds")
  const [[, first]] = (yield* ran()) as [[number, number]]
  const at = yield* Clock.currentTimeMillis
  process.kill(first, "SIGKILL")
  yield* until(() => told.find(({ _tag }) => _tag === "ConductorRelaunched"))
  const successor = yield* Effect.repeat(ran(), { until: (all) => all.length > 1 })
  return successor[1]![0] / 1e6 - at
}, Effect.scoped)

/**
 * Measures the time from the kill of an agent to its successor. It takes turns with the start of a Node that does
 * nothing.
 */
export const recovery = (sizes: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const nothing = `${yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" })}/nothing.mjs`
    yield* fs.writeFileString(nothing, "")
    const rows: Array<Row> = []
    for (const megabytes of sizes) {
      const [times, ratios, decisive] = [new Array<number>(), new Array<number>(), new Array<number>()]
      for (let round = 0; round < rounds; round++) {
        const before = yield* child(process.execPath, [nothing])
        const took = yield* killed(megabytes)
        const after = yield* child(process.execPath, [nothing])
        times.push(took)
        const bare = ((before.seconds + after.seconds) / 2) * 1000
        ratios.push(took / bare)
        // A slow or busy machine slows a bare Node by as much. So the time is scaled to a quiet one.
        decisive.push(Math.min(took, (took / bare) * nodeStart))
      }
      rows.push({
        cells: [
          megabytes === 0 ? "a small session, resumed" : `${megabytes} MB, exported`,
          median(times).toFixed(0),
          Math.min(...times).toFixed(0),
          median(ratios).toFixed(2)
        ],
        measured: median(decisive),
        limit
      })
    }
    return yield* report(
      ["from kill -9 to the successor", "ms, median", "ms, best", "× bare Node", `ms, where Node takes ${nodeStart}`],
      rows
    )
  })
