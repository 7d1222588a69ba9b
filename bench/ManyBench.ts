import { Clock, Effect, FileSystem } from "effect"
import { child, running, souffleur } from "./Child.ts"
import { manyFolders, startedApp, variablesIn } from "./ManyWorld.ts"
import { until } from "./Resting.ts"
import { sessionFile, tokensInUse } from "./SessionFileBench.ts"
import { report, type Row } from "./Table.ts"
import { guardianOf, guardiansOf, shares } from "./Used.ts"

/** Milliseconds in which a bare Node starts on the machine that the limits mean. */
const nodeStart = 36

/** What forty agents in one process may take, and two hundred; others in proportion. */
const between = (forty: number, twoHundred: number, count: number) =>
  Math.round((forty + ((twoHundred - forty) * Math.max(0, count - 40)) / 160) * 100) / 100

const temporary = FileSystem.FileSystem.use((fs) => fs.makeTempDirectoryScoped({ prefix: "souffleur-bench-" }))

/** Starts a souffleur of its own for each agent. Returns the pids of all, and of their guardians. */
const detached = Effect.fnUntraced(function* (count: number) {
  const folder = yield* temporary
  const fs = yield* FileSystem.FileSystem
  const { entry } = yield* souffleur
  const { agent, folders } = yield* manyFolders(folder, count)
  const environment = { ...variablesIn(folder), SOUFFLEUR_STATE_DIR: `${folder}/state` }
  yield* fs.makeDirectory(`${folder}/state`, { mode: 0o700 })
  const pids = yield* Effect.forEach(folders, (project) =>
    Effect.map(
      running(process.execPath, [entry, "run", "--quiet", "--", agent, "-p", "work"], project, environment),
      ({ pid }) => pid
    )
  )
  yield* Effect.sleep("20 seconds")
  return [...pids, ...(yield* Effect.forEach(pids, guardianOf))]
})

/** Kills some agents at once. Returns the ms until each death is noticed, and until each successor runs. */
const killed = Effect.fnUntraced(function* (
  { agents, told }: Effect.Success<ReturnType<typeof startedApp>>,
  count: number
) {
  const pids = agents().slice(0, count)
  const before = told.length
  const at = yield* Clock.currentTimeMillis
  for (const pid of pids) process.kill(pid, "SIGKILL")
  const last = (tag: string) => {
    const found = told.slice(before).filter((one) => one.tag === tag)
    return found.length < pids.length ? undefined : Math.max(...found.map((one) => one.at)) - at
  }
  const relaunched = yield* until(() => last("ConductorRelaunched"))
  return { noticed: last("ConductorDied")!, relaunched }
})

/** Returns how much slower a Node starts than on a quiet machine, where two cores serve two starts at once. */
const slowness = Effect.gen(function* () {
  const starts = Array.from({ length: 2 }, () => child(process.execPath, ["-e", ""]))
  const [one, other] = yield* Effect.all(starts, { concurrency: 2 })
  return Math.max(1, (((one!.seconds + other!.seconds) / 2) * 1000) / nodeStart)
})

/** Kills an agent with 100 MB of conversation. Returns the longest delay of any other, in ms. */
const delayed = Effect.fnUntraced(function* (settings: { readonly maxTokens?: number }) {
  const folder = yield* temporary
  const { agent, folders } = yield* manyFolders(folder, 2)
  const session = yield* sessionFile(`${folders[0]}/session.jsonl`, 100_000_000, tokensInUse.full)
  yield* FileSystem.FileSystem.use((fs) => Effect.flatMap(fs.open(session), (file) => file.sync))
  const { pid, told } = yield* startedApp(folder, { agent, folders, guarded: false, settings })
  yield* Effect.sleep("5 seconds")
  process.kill(pid, "SIGUSR2")
  const dying = told.findLast(({ watch, pid }) => watch === folders[0] && pid > 0)!
  process.kill(dying.pid, "SIGKILL")
  yield* until(() => told.find(({ tag }) => tag === "ConductorRelaunched"))
  process.kill(pid, "SIGUSR2")
  return (yield* until(() => told.find(({ tag }) => tag === "delay"))).pid
}, Effect.scoped)

/**
 * Measures many agents, each with a watch: kept by as many souffleurs, and by one app. After some seconds of rest it
 * measures as many more. Then every agent of the app dies at once.
 */
export const many = (count: number, seconds: number) =>
  Effect.gen(function* () {
    const bare = yield* Effect.replicateEffect(
      running(process.execPath, ["-e", "setInterval(() => {}, 1000)"], yield* temporary, {}),
      count
    )
    // Two processes for each of many agents need more memory than they are worth.
    const apart = count > 40 ? [] : yield* detached(count)
    const folder = yield* temporary
    const app = yield* startedApp(folder, { ...(yield* manyFolders(folder, count)), guarded: false })
    const guardedFolder = yield* temporary
    const guarded = yield* startedApp(guardedFolder, { ...(yield* manyFolders(guardedFolder, count)), guarded: true })
    yield* Effect.sleep(`${seconds} seconds`)
    const groups = [
      [`${count} bare Nodes`, bare.map(({ pid }) => pid)],
      [`${count} souffleurs with their guardians`, apart],
      ["one app", [app.pid]],
      ["one app with its guardian", [guarded.pid, ...(yield* guardiansOf(guarded.pid))]]
    ] as const
    const used = yield* Effect.forEach(groups, ([, pids]) => shares(pids, seconds), { concurrency: "unbounded" })
    const sum = (part: "megabytes" | "percent", at: number) => used[at]!.reduce((all, one) => all + one[part], 0)
    const rows = (part: "megabytes" | "percent", atMost: number): ReadonlyArray<Row> =>
      groups.map(([name, pids], at) => ({
        cells: [name, String(pids.length)],
        measured: sum(part, at),
        ...(at === 2 ? { limit: { atMost } } : {})
      }))
    const head = (what: string) => [`${what} of ${count} agents at rest for ${seconds} s`, "processes"]
    const memory = yield* report([...head("memory"), "MB (PSS)"], rows("megabytes", between(150, 400, count)))
    const processor = yield* report([...head("processor"), "% of a core"], rows("percent", between(2, 8, count)))
    process.kill(app.pid, "SIGUSR2")
    yield* killed(app, 10)
    process.kill(app.pid, "SIGUSR2")
    const statements = (yield* until(() => app.told.find(({ tag }) => tag === "statements"))).pid
    const ten = Math.min(10, count)
    const sql = yield* report(
      [`${ten} deaths`, "statements of SQL"],
      [{ cells: ["in all"], measured: statements, limit: { atMost: 50 * ten } }]
    )
    yield* Effect.sleep("5 seconds")
    const before = yield* slowness
    const { noticed, relaunched } = yield* killed(app, count)
    const slow = (before + (yield* slowness)) / 2
    const deaths = yield* report(
      [`${count} agents of one app killed at once`, "ms", `ms, where Node takes ${nodeStart}`],
      [
        { cells: ["each death is noticed", noticed.toFixed(0)], measured: noticed / slow, limit: { atMost: 1000 } },
        {
          cells: ["each agent is launched again", relaunched.toFixed(0)],
          measured: relaunched / slow,
          limit: { atMost: 10_000 }
        }
      ]
    )
    const delay = yield* report(
      ["100 MB of conversation delay the others", "ms"],
      [
        { cells: ["exported"], measured: yield* delayed({}), limit: { atMost: 100 } },
        { cells: ["counted"], measured: yield* delayed({ maxTokens: 1_000_000_000_000 }), limit: { atMost: 100 } }
      ]
    )
    return memory && processor && deaths && sql && delay
  })
