import { agentAtWork, isSessionKnown, nounOf, parseTime, Words } from "@souffleur/domain"
import { SouffleurLog } from "@souffleur/embed"
import { layerSouffleurLog, statusLine } from "@souffleur/embed/internal"
import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { BadUsage } from "../Failure.ts"
import { printTable } from "../explain/TextTable.ts"
import { printJson } from "../Printing.ts"
import { json, namedIn, projectDir, unlessAhead, utcFlag, watchName, zoneOf } from "./Options.ts"
import { Project, withLayers } from "./ProjectCommand.ts"

/** Reads a revision, or a time in UTC. Fails with `BadUsage` for anything else. */
const pointOf = (text: string) => {
  if (/^\d{1,9}$/u.test(text)) return Effect.succeed({ revision: Number(text) })
  return Option.match(parseTime(text), {
    onNone: () =>
      Effect.fail(
        new BadUsage({
          message: `--at ${JSON.stringify(text.slice(0, 40))} is neither a revision nor a UTC time such as 2026-01-31T03:00:00Z`
        })
      ),
    onSome: (time) => Effect.succeed({ time })
  })
}

/** Prints the state of a watch as its log makes it, now or at an earlier moment (spec: command-line#looking). */
export const stateCommand = Command.make(
  "state",
  {
    watch: watchName,
    projectDir,
    json,
    utc: utcFlag,
    at: Flag.String("at").pipe(Flag.withDescription("The state at this revision, or at this UTC time"), Flag.optional)
  },
  Effect.fnUntraced(function* (flags) {
    const log = yield* SouffleurLog
    const point = Option.isSome(flags.at) ? yield* pointOf(flags.at.value) : undefined
    const { id, watch } = yield* log.find(namedIn(yield* Project, flags.watch))
    if (point !== undefined && "revision" in point) yield* unlessAhead({ id, watch }, point.revision)
    const state = yield* log.state(id, point)
    if (flags.json) return yield* printJson({ watch: id, ...state })
    const facts: ReadonlyArray<readonly [string, string]> = [
      ["watch", `${id}, revision ${state.revision}`],
      ["state", `${state.phase}: ${statusLine(state, false, yield* zoneOf(flags))}`],
      [
        nounOf(state).toLowerCase(),
        state.conductor === undefined
          ? "not known"
          : `${agentAtWork(state) ?? ""} S${state.generation}, pid ${state.conductor.pid}${isSessionKnown(state.sessionId) ? `, session ${state.sessionId}` : ""}`.trimStart()
      ],
      [
        "roles",
        [
          state.watcher && `watcher ${state.watcher.watcher}`,
          state.monitor && `self-monitor ${state.monitor.monitor}`,
          state.recovery && `recovery ${state.recovery.cycle}`
        ]
          .filter(Boolean)
          .join(", ") || "none"
      ],
      [
        "mode",
        `${state.mode}${state.awaiting ? ", awaiting the session id" : ""}${state.observe ? ", observing only" : ""}`
      ],
      ["deaths", `${Words.ofAllowed(state.retries)}, ${state.baseline.taskCount} tasks at the last launch`],
      [
        "owner",
        state.owner === undefined
          ? "none"
          : `pid ${state.owner.process.pid} on ${state.owner.host}, fence ${state.fence}`
      ],
      ["last export", state.lastExport ?? "none"]
    ]
    yield* printTable(facts)
  })
).pipe(withLayers(layerSouffleurLog))
