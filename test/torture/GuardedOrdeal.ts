import { Effect, Option, Random } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { bundle, type Running, stage, task, until } from "../cli/CliStage.ts"
import { guardianIn, ownersOf, rowsOf, standingOf } from "./LogFromOutside.ts"
import { type Kill, type Ordeal, signal } from "./Ordeal.ts"
import { souffleursOf } from "./Souffleurs.ts"

/** Settings for five seconds of silence, in place of six minutes. */
const impatient = {
  SOUFFLEUR_COMPACT_POLL_INTERVAL: "50 millis",
  SOUFFLEUR_MONITOR_STALE_AFTER: "4 seconds",
  SOUFFLEUR_MONITOR_INTERVAL: "1 second"
}

/** The survivor of the two brings the other back within its silence and a start. The rest is for a busy machine. */
const limit = "3 minutes"

/**
 * Runs an {@link ordeal} with a guardian. It kills souffleur, its guardian, or now and then both, or stops them for
 * good. This comes at any point of the recovery. While one of them lives, the test starts no other. Where none lives,
 * an operator starts souffleur again, as a service would.
 */
export const guardedOrdeal = Effect.fnUntraced(function* (most: number) {
  const the = yield* stage([task(1, 50), task(2, 300)], impatient)
  const diaries = join(the.home, "diaries")
  fs.mkdirSync(diaries)
  const agent = ["env", `SOUFFLEUR_STANDIN_DIARY=${diaries}`, process.execPath, bundle, "__stand-in"]
  const variables = { SOUFFLEUR_AGENT_COMMAND: JSON.stringify(agent) }
  const conductor = yield* the.conductor(1, { SOUFFLEUR_STANDIN_DIARY: diaries })
  const souffleurs = yield* souffleursOf(the.home)

  const started: Array<Running> = []
  const kills: Array<Kill> = []
  const retried: Array<string> = []
  const deserted: Array<string> = []
  const hit = new Set<number>()
  const look = Effect.sync(() => standingOf(rowsOf(the.state)))
  const begin = Effect.sync(() => {
    const known = rowsOf(the.state)[0]?.stream
    const which =
      known === undefined ? ["--pid", String(conductor.pid), "--session-id", the.session] : ["--resume", known]
    started.push(the.start(["watch", "--json", "--guardian", ...which], variables))
  })
  const over = Effect.map(look, ({ phase, relaunched }) => relaunched || phase === "ended")
  /** Processes that are neither gone nor hit. A stopped process stays stopped. */
  const well = (errand?: "souffleur" | "guardian") => souffleurs.there(errand).filter(({ pid }) => !hit.has(pid))
  /** The souffleur that owns the watch, where it is well. */
  const acting = Effect.sync(() => well("souffleur").find(({ pid }) => ownersOf(rowsOf(the.state)).at(-1)?.pid === pid))

  /** Ends all processes that are left, the stopped ones too. */
  const clear = Effect.gen(function* () {
    for (const { pid } of souffleurs.there()) signal(pid, "SIGKILL")
    yield* until(
      Effect.sync(() => souffleurs.there().length),
      (some) => some === 0
    )
  })
  const reviveAll = Effect.gen(function* () {
    yield* Effect.sleep("200 millis")
    const gaveUp = rowsOf(the.state).at(-1)?.tag === "GuardianGaveUp"
    if (well().length > 0 || (yield* look).phase === "ended") return
    // Other processes may have come too late to be needed. Only the owner and the guardian that beats may not leave the
    // watch alone.
    const last = { souffleur: ownersOf(rowsOf(the.state)).at(-1)?.pid, guardian: guardianIn(the.state) }
    for (const [errand, pid] of Object.entries(last)) {
      if (pid !== undefined && !hit.has(pid) && !gaveUp) deserted.push(`${errand} ${pid} has ended by itself`)
    }
    yield* clear
    yield* begin
  })
  /** Waits until a souffleur that is well owns the watch, or the watch has ended. */
  const attended = Effect.gen(function* () {
    const now = Effect.gen(function* () {
      if (Option.isSome(Option.fromNullishOr(yield* acting)) || (yield* look).phase === "ended") return true
      if (well().length === 0) yield* reviveAll
      return false
    })
    return Option.isSome(
      yield* Effect.timeoutOption(
        until(now, (yes) => yes),
        limit
      )
    )
  })

  yield* begin
  yield* until(look, ({ revision }) => revision > 5)
  yield* until(
    Effect.sync(() => well("guardian").length),
    (guardians) => guardians > 0
  )
  conductor.kill("SIGKILL")
  yield* until(look, ({ phase, relaunched }) => phase !== "watching" || relaunched)
  let stuck = false
  while (kills.length < most && !stuck && !(yield* over)) {
    const since = (yield* look).revision
    const more = yield* Random.nextIntBetween(1, 4)
    yield* Effect.raceFirst(
      until(look, ({ revision }) => revision >= since + more),
      until(over, (yes) => yes)
    )
    yield* Effect.sleep(yield* Random.nextIntBetween(0, 20))
    const lot = yield* Random.nextIntBetween(0, 10)
    const stop = (yield* Random.nextIntBetween(0, 4)) === 0
    const who = lot < 5 ? "souffleur" : lot < 8 ? "guardian" : "both"
    const targets = well(who === "both" ? undefined : who)
    const { at, phase } = yield* look
    for (const { pid } of targets) {
      hit.add(pid)
      signal(pid, stop ? "SIGSTOP" : "SIGKILL")
    }
    if (targets.length > 0) kills.push({ who: stop ? `${who} stopped` : who, inside: phase === "recovering", at })
    if (who !== "guardian") stuck = !(yield* attended)
    if ((yield* look).phase === "standing by") retried.push(String((yield* the.run(["retry"], variables)).code))
  }
  const left = Effect.sync(() => well().length)
  const finish = Effect.gen(function* () {
    while ((yield* look).phase !== "ended") {
      if ((yield* left) === 0) yield* reviveAll
      if ((yield* look).phase === "standing by") retried.push(String((yield* the.run(["retry"], variables)).code))
      yield* Effect.sleep("50 millis")
    }
    return 0
  })
  const code = stuck ? Option.none<number>() : yield* Effect.timeoutOption(finish, limit)
  yield* Effect.timeoutOption(
    until(left, (some) => some === 0),
    limit
  )
  const strays = [...deserted, ...well().map(({ errand, pid }) => `${errand} ${pid} is still there`)]
  const rivals = souffleurs.rivals(ownersOf(rowsOf(the.state)))
  yield* clear
  // A souffleur that was hit between the end and its telling has not told it. The next souffleur tells it.
  if (Option.isSome(code) && the.row("souffleur")["state"] !== "complete") {
    yield* begin
    yield* started.at(-1)!.ended
  }
  return {
    diaries,
    kills,
    retried,
    started,
    the,
    way: "guarded",
    code,
    rivals,
    strays,
    believed: () => []
  } satisfies Ordeal
})
