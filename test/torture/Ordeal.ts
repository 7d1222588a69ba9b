import { Effect, type Option, Random } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { bundle, type Running, stage, task, until } from "../cli/CliStage.ts"
import { rowsOf, type Standing, standingOf } from "./LogFromOutside.ts"
import { slander } from "./Slander.ts"

/** One process that was killed, and the point of the watch by its log. */
export interface Kill {
  readonly who: "souffleur" | "launcher" | `${"souffleur" | "guardian" | "both"} stopped` | "guardian" | "both"
  readonly inside: boolean
  readonly at: string
}

/** The way of a recovery. The export fits, or the session is compacted, or the export fits under a guardian. */
export type Way = "export" | "compact" | "guarded"

/** The result of one world, and all facts that are needed to judge it from outside. */
export interface Ordeal {
  readonly the: Effect.Success<ReturnType<typeof stage>>
  readonly way: Way
  readonly diaries: string
  readonly kills: ReadonlyArray<Kill>
  readonly retried: ReadonlyArray<string>
  readonly started: ReadonlyArray<Running>
  /** Exit code of the last souffleur; `None`: it went beyond its limit. */
  readonly code: Option.Option<number | null>
  /** Souffleurs, or guardians, that acted at once. */
  readonly rivals: ReadonlyArray<string>
  /** Processes of souffleur that were left, or that left a watch alone. */
  readonly strays: ReadonlyArray<string>
  /** Effects of hostile words that must never be, by the session that the watch ended with. */
  readonly believed: (session: string) => ReadonlyArray<string>
}

/** A souffleur that is not killed waits 15 s at most, for a receipt. The rest is for a busy machine. */
const limit = "3 minutes"

/** Finds the process that is about to become an agent of this home. */
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

/** Signals a process. Returns `false` where it ended meanwhile. */
export const signal = (pid: number, name: "SIGSTOP" | "SIGKILL"): boolean => {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/**
 * Kills a Conductor in the midst of its work. Then it kills souffleur again and again, at any point of its recovery,
 * and now and then the launcher. Random decides the points. The last souffleur is left alone. It ends the watch within
 * the limit, or is stuck.
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
  /** Waits until the watch meets a condition, or this souffleur has ended. */
  const stands = (running: Running, so: (standing: Standing) => boolean) =>
    Effect.raceFirst(
      until(look, so),
      Effect.andThen(running.ended, () => look)
    )
  const killed = (who: Kill["who"], { at, phase }: Standing) => kills.push({ who, inside: phase === "recovering", at })
  /** Tries a recovery again, as an operator, after a killed launcher has closed it. */
  const retry = Effect.map(the.run(["retry"], variables), ({ code, errors }) => void retried.push(`${code}${errors}`))

  let running = yield* begin
  yield* until(
    Effect.sync(() => running.lines.some((line) => line.includes('"WatchSettled"'))),
    (yes) => yes
  )
  // Half of the worlds that export have lies. A session that compacts goes on in the file with the lies, so a world
  // that compacts has none.
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
      if (found !== undefined && signal(found, "SIGKILL")) killed("launcher", yield* look)
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
      // The recovery may have closed again before the command has ended. Then it is tried again.
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
