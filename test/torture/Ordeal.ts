import { Effect, type Option, Random } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { bundle, type Running, stage, task, until } from "../cli/CliStage.ts"
import { rowsOf, type Standing, standingOf } from "./LogFromOutside.ts"
import { slander } from "./Slander.ts"

/** One process that was killed, and where the watch stood by its log. */
export interface Kill {
  readonly who: "souffleur" | "launcher" | `${"souffleur" | "guardian" | "both"} stopped` | "guardian" | "both"
  readonly inside: boolean
  readonly at: string
}

/**
 * Which way a recovery goes: the export fits, or it does not and the session is compacted; or it fits, under a
 * guardian.
 */
export type Way = "export" | "compact" | "guarded"

/** What became of one world, and all that is needed to judge it from outside. */
export interface Ordeal {
  readonly the: Effect.Success<ReturnType<typeof stage>>
  readonly way: Way
  readonly diaries: string
  readonly kills: ReadonlyArray<Kill>
  readonly retried: ReadonlyArray<string>
  readonly started: ReadonlyArray<Running>
  /** Of the last souffleur; `None`: it went beyond its limit. */
  readonly code: Option.Option<number | null>
  /** Souffleurs, or guardians, that acted at once. */
  readonly rivals: ReadonlyArray<string>
  /** Processes of souffleur that were left, or that left a watch alone. */
  readonly strays: ReadonlyArray<string>
  /** What came of hostile words, by the session that the watch ended with. */
  readonly believed: (session: string) => ReadonlyArray<string>
}

/** A souffleur that nobody kills waits 15 s at most, for a receipt; the rest is for a busy machine. */
const limit = "60 seconds"

/** The process that is about to become an agent of this home, and has not yet. */
const launcherIn = (home: string): number | undefined => {
  for (const name of fs.readdirSync("/proc")) {
    if (!/^[0-9]+$/u.test(name)) continue
    try {
      const words = fs.readFileSync(`/proc/${name}/cmdline`, "utf8").split("\0")
      if (words.includes("__launch") && words.some((word) => word.startsWith(`${home}/`))) return Number(name)
    } catch {
      // It ended meanwhile.
    }
  }
  return undefined
}

/**
 * A Conductor is killed in the midst of its work; then souffleur is, again and again, wherever its recovery stands, and
 * now and then the launcher. Random decides where. The last souffleur is left alone: it ends the watch within the
 * limit, or is stuck.
 */
export const ordeal = Effect.fnUntraced(function* (way: Exclude<Way, "guarded">, most: number) {
  const the = yield* stage([task(1, 50), task(2, 300)], { SOUFFLEUR_COMPACT_POLL_INTERVAL: "50 millis" })
  const diaries = join(the.home, "diaries")
  fs.mkdirSync(diaries)
  if (way === "compact") {
    fs.mkdirSync(join(the.project, ".orchestra_configs"))
    fs.writeFileSync(join(the.project, ".orchestra_configs", "souffleur"), "FORCE_COMPACT=5\n")
  }
  const agent = ["env", `SOUFFLEUR_STANDIN_DIARY=${diaries}`, process.execPath, bundle, "__stand-in"]
  const variables = { SOUFFLEUR_AGENT_COMMAND: JSON.stringify(agent) }
  const conductor = yield* the.conductor(1, { SOUFFLEUR_STANDIN_DIARY: diaries })

  const started: Array<Running> = []
  const kills: Array<Kill> = []
  const retried: Array<string> = []
  const look = Effect.sync(() => standingOf(rowsOf(the.state)))
  const begin = Effect.sync(() => {
    const known = rowsOf(the.state)[0]?.stream
    const which =
      known === undefined ? ["--pid", String(conductor.pid), "--session-id", the.session] : ["--resume", known]
    const running = the.start(["watch", "--json", ...which], variables)
    started.push(running)
    return running
  })
  /** Until the watch stands so, or this souffleur has ended. */
  const stands = (running: Running, so: (standing: Standing) => boolean) =>
    Effect.raceFirst(
      until(look, so),
      Effect.andThen(running.ended, () => look)
    )
  const killed = (who: Kill["who"], { at, phase }: Standing) => kills.push({ who, inside: phase === "recovering", at })
  /** What a killed launcher has closed, an operator has tried again. */
  const retry = Effect.map(the.run(["retry"], variables), ({ code, errors }) => void retried.push(`${code}${errors}`))

  let running = yield* begin
  yield* until(
    Effect.sync(() => running.lines.some((line) => line.includes('"WatchSettled"'))),
    (yes) => yes
  )
  // In one world of two that export: a session that compacts goes on in the file that is lied in.
  const lies = way === "export" && (yield* Random.nextBoolean) ? yield* slander(the) : undefined
  conductor.kill("SIGKILL")
  let now = yield* stands(running, ({ phase }) => phase === "recovering")
  let hunted = false
  while (kills.length < most && now.phase !== "ended" && !now.relaunched) {
    const since = now.revision
    const over = ({ phase, relaunched }: Standing) => phase !== "recovering" || relaunched
    if (!hunted && (yield* Random.nextIntBetween(0, 6)) === 0) {
      hunted = true
      const found = yield* Effect.raceFirst(
        until(
          Effect.sync(() => launcherIn(the.home)),
          (pid) => pid !== undefined
        ),
        Effect.as(stands(running, over), undefined)
      )
      if (found !== undefined) {
        process.kill(found, "SIGKILL")
        killed("launcher", yield* look)
      }
      now = yield* stands(running, (standing) => over(standing) || standing.revision > since + 8)
    } else {
      const more = yield* Random.nextIntBetween(1, 6)
      const early = (yield* Random.nextIntBetween(0, 6)) === 0
      if (early) yield* Effect.sleep(yield* Random.nextIntBetween(50, 300))
      else yield* stands(running, (standing) => standing.revision >= since + more || over(standing))
      yield* Effect.sleep(yield* Random.nextIntBetween(0, 20))
      running.kill("SIGKILL")
      yield* running.ended
      now = yield* look
      killed("souffleur", now)
      running = yield* begin
    }
    if (now.phase === "standing by") yield* retry
  }
  const finish = Effect.gen(function* () {
    for (;;) {
      const { phase } = yield* stands(running, (standing) => standing.phase === "standing by")
      if (phase !== "standing by") return (yield* running.ended).code
      // It may have closed again before the command has ended: then it is tried again.
      yield* retry
    }
  })
  const code = yield* Effect.timeoutOption(finish, limit)
  return {
    diaries,
    kills,
    retried,
    started,
    the,
    way,
    code,
    rivals: [],
    strays: [],
    believed: lies?.seen ?? (() => [])
  } satisfies Ordeal
})
