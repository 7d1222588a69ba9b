import {
  Agent,
  type AgentCommand,
  type AgentOrder,
  capsOf,
  capUse,
  ceilingNow,
  granted,
  Launcher,
  LaunchFailed,
  type LaunchOrder,
  type Permission,
  type Terminal,
  unfitStage,
  type Watch,
  type WatchIntent,
  withRemainder
} from "@souffleur/domain"
import { agentCommand, launchOnce, turnBefore } from "@souffleur/process"
import { Clock, Effect, Option, Schema } from "effect"
import { againForAWhile } from "./LaunchAgain.ts"
import { FailedClosed } from "../Provider.ts"
import type { Request } from "../steps/Request.ts"
import { again, Cycle, step } from "../steps/Step.ts"

/** Describes the task of a launch, without the parts that every launch has. */
type Errand = Pick<AgentOrder, "file" | "folder" | "session" | "reads"> & {
  readonly prompt: (launchId: string) => string
  readonly title: string
}

/**
 * Returns what a launch gets: the least of the ceiling, of what was asked for, and of the newest mode of its session.
 * What the agent itself asked for outranks that mode (spec: behaviour#permission-ceiling).
 */
export const grant = Effect.fn("Recovery.grant")(function* (watch: Watch, request: Request, ceiling: Permission) {
  if (request.asked) return granted(request.requested, ceiling, undefined)
  const agent = yield* Agent
  const { effective, heldTo = null } = watch.given ?? {}
  const mode = Option.getOrElse(yield* agent.mode(watch.sessionId), () => heldTo ?? undefined)
  // souffleur itself gave its session this mode, under a ceiling that may be another now.
  const isOurs = mode === effective && heldTo === null
  return granted(request.requested, ceiling, isOurs ? undefined : mode)
})

/** Makes the command line of a launch. Fails with `LaunchFailed` where there is no such agent. */
export const commandLineOf = (
  { file, folder, prompt, reads, session }: Omit<Errand, "title">,
  {
    effective,
    heldTo,
    launchId,
    terminal
  }: ReturnType<typeof granted> & { readonly launchId: string; readonly terminal: Terminal }
) =>
  agentCommand({
    session,
    permission: effective,
    ...(heldTo === "plan" || heldTo === "asks" ? { heldTo } : {}),
    prompt: prompt(launchId),
    ...(reads === undefined ? {} : { reads }),
    ...(folder === undefined ? {} : { folder }),
    ...(file === undefined ? {} : { file }),
    // In a window a person may continue it.
    print: terminal === "headless"
  })

/** Gives a launch what is left of the caps of its user. */
const cappedNow = (ref: Cycle["Service"]["watch"]) =>
  Effect.fnUntraced(function* (command: AgentCommand) {
    const agent = yield* Agent
    const state = yield* ref.state
    const caps = capsOf(state, agent)
    if (caps.length === 0) return command
    const since = state.capsSince ?? state.allowedSince
    const used = capUse(yield* agent.spent(state.sessions, since), since, yield* Clock.currentTimeMillis)
    return withRemainder(command, caps, used)
  })

/**
 * Launches the agent under the ceiling, once under a token, with a command line for the terminal that it gets. `errand`
 * runs right before each launch, and fails where there must be none. Fails with `LaunchFailed`.
 */
export const launch = Effect.fn("Recovery.launch")(function* <E, R>(
  watch: Watch,
  token: string,
  request: Request,
  errand: Effect.Effect<Omit<Errand, "folder">, E, R>
) {
  const { watch: ref } = yield* Cycle
  return yield* started(
    token,
    Effect.fnUntraced(function* (launchId, terminal) {
      const { title, ...asked } = yield* errand
      const given = yield* grant(watch, request, yield* ceilingNow(ref.dispatch))
      const command = yield* commandLineOf({ ...asked, folder: watch.project }, { launchId, ...given, terminal }).pipe(
        Effect.flatMap(cappedNow(ref))
      )
      return {
        order: { command, cwd: watch.project, title },
        prepared: { sessionId: asked.session.sessionId, requested: request.requested, ...given }
      }
    })
  )
})

/** An order of a launch, and what the log has of it. */
interface PreparedOrder {
  readonly order: Omit<LaunchOrder, "id">
  readonly prepared: Pick<
    Extract<WatchIntent, { readonly _tag: "PrepareLaunch" }>,
    "sessionId" | "requested" | "effective" | "heldTo" | "pty"
  >
}

/** Returns the terminals that may open a window for the next launch of a watch, the best first. */
const terminalsNow = (
  { headless, recovery }: Watch,
  { terminals }: Launcher["Service"]
): Launcher["Service"]["terminals"] => {
  if (headless) return ["headless"]
  const [first = terminals[0], ...others] = terminals.filter((one) => recovery?.refused.includes(one) !== true)
  return [first, ...others]
}

/**
 * Launches once under a token (spec: behaviour#launch-at-most-once). Where a terminal opens no window, that launch is
 * cancelled, and the next terminal has a launch of its own (spec: behaviour#no-window). `orderOf` makes the order of
 * each, right before it. What cannot run for now is tried again for a while. Fails with `LaunchFailed`.
 */
export const started = <E, R>(
  token: string,
  orderOf: (launchId: string, terminal: Terminal) => Effect.Effect<PreparedOrder, E, R>
) => againForAWhile((n) => startedNow(n === 0 ? token : `${token}-again-${n}`, orderOf))

const startedNow = Effect.fn("Recovery.startedNow")(function* <E, R>(
  token: string,
  orderOf: (launchId: string, terminal: Terminal) => Effect.Effect<PreparedOrder, E, R>
) {
  const { number: cycle, watch: ref } = yield* Cycle
  const launcher = yield* Launcher
  for (let launchId = launchIdOf(ref.id, token); ;) {
    const [terminal, instead] = terminalsNow(yield* ref.state, launcher)
    const { order, prepared } = yield* orderOf(launchId, terminal)
    const before = { turnBefore: yield* turnBefore(prepared.sessionId) }
    const launched = yield* launchOnce({ ...order, id: launchId, place: terminal }, (digest) =>
      ref.dispatch({ _tag: "PrepareLaunch", cycle, launchId, digest, ...prepared, ...before })
    ).pipe(
      Effect.map((conductor) => ({ launchId, conductor })),
      Effect.catchIf(
        (error) => error._tag === "LaunchFailed" && error.noWindow === true,
        ({ message }) => Effect.succeed(message)
      )
    )
    if (typeof launched === "object") return launched
    const message = launched
    if (instead === undefined)
      return yield* new LaunchFailed({
        message: `${message}; to launch it without a window, type "souffleur retry ${ref.id} --headless"`,
        momentary: true
      })
    yield* ref.dispatch({ _tag: "RefuseWindow", cycle, launchId, terminal, instead, message })
    launchId = launchIdOf(ref.id, token, instead)
  }
})

/**
 * Fails with `FailedClosed` where the agent cannot be launched here. It runs before anything is stopped. Its answer is
 * kept, because after a crash a successor may run.
 */
export const unlessUnfit = Effect.fn("Recovery.unlessUnfit")(function* (watch: Watch, request: Request) {
  const launcher = yield* Launcher
  const { watch: ref } = yield* Cycle
  yield* step("0 fit", {
    outcome: Schema.Struct({}),
    failure: LaunchFailed,
    act: Effect.fnUntraced(function* (launchId: string) {
      const given = yield* grant(watch, request, yield* ceilingNow(ref.dispatch))
      const session = { _tag: "Fresh", sessionId: "none" } as const
      const [terminal] = terminalsNow(yield* ref.state, launcher)
      yield* commandLineOf({ session, prompt: () => "Continue." }, { launchId, ...given, terminal })
      return {}
    }),
    reconcile: again
  }).pipe(
    Effect.catchTag("LaunchFailed", ({ message }) => Effect.fail(new FailedClosed({ stage: unfitStage, message })))
  )
})

/** Makes the id of a launch. `instead`: the terminal that follows one that opened no window. */
const launchIdOf = (watch: string, token: string, instead?: Terminal) =>
  [watch, token, ...(instead === undefined ? [] : [instead])].join("-")

/** Settles a launch whose reply was lost: its process, or `None`, and then it never runs. */
export const settled = Effect.fnUntraced(function* (token: string) {
  const launcher = yield* Launcher
  const { watch } = yield* Cycle
  // A launch is cancelled before the next one of its step is prepared, so that the newest alone may have run.
  const newest = (yield* watch.state).recovery?.launch?.launchId
  const first = launchIdOf(watch.id, token)
  const launchId = newest?.startsWith(`${first}-`) === true ? newest : first
  return Option.map(yield* launcher.settle(launchId), (conductor) => ({ launchId, conductor }))
})
