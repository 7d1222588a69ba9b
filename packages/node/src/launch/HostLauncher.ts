import { isAbsolute, join } from "node:path"
import * as fs from "node:fs"
import {
  Launcher,
  LaunchFailed,
  type LaunchOrder,
  plain,
  Processes,
  type ProcessIdentity,
  untraced,
  type Variables
} from "@souffleur/domain"
import { isGone } from "@souffleur/process"
import { type Duration, Effect, Exit, Layer, Option, Schedule } from "effect"
import { boundOutputs } from "./Outputs.ts"
import { makeLaunchEnds } from "./LaunchEnds.ts"
import type { Start } from "../own/Detached.ts"
import { startHeadless, waitedFor } from "./Headless.ts"
import { startKitty } from "../terminal/Kitty.ts"
import { isLaunch, isLaunchId, type Launch, launchVariable } from "./LaunchFile.ts"
import { makeLaunchFolder } from "./LaunchFolder.ts"
import { endsWith } from "../processes/ChildEnds.ts"
import { asWindow, hasPty, inPty, inWindow } from "../terminal/Pty.ts"
import { readReceipt } from "./Receipt.ts"
import { startTmux, type TmuxPlace } from "../terminal/Tmux.ts"
import { startWindow } from "../terminal/Window.ts"

/** The place of launches on this host, and the terminals that they get. */
export interface LauncherOptions {
  /** Absolute. Launches are in its folder `launches/`. */
  readonly stateDir: string
  /**
   * Command that becomes the agent, such as Node and the path of `launch.ts`. The path of a launch file is appended.
   */
  readonly entry: Start["line"]
  /** The best first; `headless`, which needs no window, by default. */
  readonly terminals?: Launcher["Service"]["terminals"]
  /** The words that open a window of the desktop and run a command in it, such as `kitty --`. For `window`. */
  readonly windowWords?: Start["line"] | undefined
  /** Time until the receipt of a launch must be there, 15 seconds by default. */
  readonly receiptTimeout?: Duration.Input
  readonly tmux?: TmuxPlace
  /** The environment around the launches, with their terminals. Absent: this process's own. */
  readonly variables?: Variables
}

const cancelled = new LaunchFailed({ message: "the launch was cancelled" })

/** A launcher that was started. */
interface Started {
  /** Says whether it has ended. */
  readonly gone: Effect.Effect<boolean, LaunchFailed>
  /** The pid of the shell that waits for it, as a child of this process. */
  readonly shell?: number
}

/** UTF-16 units of a window's title at most. */
const maxTitleLength = 100
const receiptPoll = Schedule.spaced("5 millis")

/**
 * Explains why a launch cannot run, as far as this is visible before it is tried. `undefined`: no obstacle is known.
 */
const obstacle = (launch: Launch): string | undefined => {
  try {
    if (!fs.statSync(launch.program).isFile()) return "the program is no file"
    fs.accessSync(launch.program, fs.constants.X_OK)
  } catch {
    return "there is no such program, or it cannot be run"
  }
  return fs.statSync(launch.cwd, { throwIfNoEntry: false })?.isDirectory() === true
    ? undefined
    : `there is no folder ${launch.cwd} to run in: if it was moved, link its old place to it`
}

/**
 * Makes the launcher of this machine. Fails with `LaunchFailed` where the folder of launches cannot be made, or closed
 * to others.
 *
 * @example
 * ```ts
 * import { Launcher as LauncherPort } from "@souffleur/domain"
 * import { Launcher, launchLine, Processes } from "@souffleur/node"
 * import { Effect, Layer } from "effect"
 *
 * const launcher = Launcher.layer({ stateDir: "/var/lib/app/souffleur", entry: launchLine() })
 *
 * // However often this runs for one id, the program runs once.
 * const once = Effect.fn("once")(function* (id: string) {
 *   const { launch, prepare } = yield* LauncherPort
 *   const command = { program: "/usr/bin/make", args: ["test"], environment: { PATH: "/usr/bin" } }
 *   yield* prepare({ id, command, cwd: "/srv/job", title: "tests" })
 *   return yield* launch(id)
 * }, Effect.provide(Layer.provide(launcher, Processes.layer)))
 * ```
 */
export const layer = (options: LauncherOptions): Layer.Layer<Launcher, LaunchFailed, Processes> =>
  Layer.effect(
    Launcher,
    Effect.gen(function* () {
      const { terminals = ["headless"], variables, windowWords } = options
      const processes = yield* Processes
      const files = yield* makeLaunchFolder(options.stateDir)
      const { checkId, close, decided, folder, forget, kept, outputPath, pathOf, receiptOf } = files
      const ends = makeLaunchEnds(folder)
      const prepare = Effect.fn("Launcher.prepare")(function* (order: LaunchOrder) {
        yield* checkId(order.id)
        const { terminal = "shared" } = order
        const { window = false, ...command } = order.command
        const isTyped = window && terminal === "shared"
        const place = isTyped || terminal === "own" ? (order.place ?? terminals[0]) : "headless"
        const launch: Launch = {
          version: 1,
          id: order.id,
          input: null,
          ...command,
          cwd: order.cwd,
          output: isTyped && place !== "headless" ? null : outputPath(order.id),
          title: plain(order.title, maxTitleLength),
          terminal,
          place,
          ...(order.words === undefined ? {} : { words: order.words }),
          ...(order.prompt === undefined ? {} : { prompt: order.prompt }),
          ...(order.until === undefined ? {} : { until: order.until })
        }
        if (terminal === "own") yield* inPty({ line: options.entry, environment: {} })
        if (!isLaunch(launch)) {
          return yield* new LaunchFailed({
            message: "program and folder must be absolute, and nothing may hold a zero byte"
          })
        }
        if (launch.input !== null && launch.output === null)
          return yield* new LaunchFailed({ message: "a launch in a terminal window cannot use standard input" })
        return yield* files.write(launch, order.keep === true)
      })

      /**
       * Returns the process that took the receipt, or `None` so far. Fails where the launch was cancelled, or the
       * launcher ended without a receipt.
       */
      const receiptTaker = (id: string, launcherGone: Effect.Effect<boolean, LaunchFailed>) =>
        Effect.gen(function* () {
          // This is asked before the receipt is read: the launcher may take it just before it ends.
          const gone = yield* launcherGone
          const receipt = yield* Effect.sync(() => readReceipt(receiptOf(id)))
          if (Option.isSome(receipt)) {
            return receipt.value._tag === "Taken" ? Option.some(receipt.value.process) : yield* cancelled
          }
          if (gone) {
            const lacking = options.entry.find((word) => isAbsolute(word) && !fs.existsSync(word))
            return yield* new LaunchFailed({
              message:
                lacking === undefined
                  ? "the launcher ended and left no receipt"
                  : `there is no launcher ${lacking}: the bundle of an app must leave @souffleur/node and @souffleur/embed out`,
              momentary: true
            })
          }
          return Option.none<ProcessIdentity>()
        })

      /** Returns an effect that says whether the launcher with this pid has ended. */
      const goneOf = Effect.fnUntraced(function* (pid: number) {
        const found = yield* processes.find(pid)
        return Option.match(found, {
          onNone: () => Effect.succeed(true),
          onSome: ({ identity }) => isGone(processes, identity)
        })
      })

      /** Starts it without a window, below a shell that waits for it. */
      const startOwn = Effect.fnUntraced(function* ({ id, input, output, terminal }: Launch, start: Start) {
        const started = terminal === "own" ? yield* inPty(start) : start
        yield* ends.reserve(id)
        const shell = yield* startHeadless(waitedFor(started, { exit: ends.fileOf(id), receipt: receiptOf(id) }), {
          cwd: folder,
          output: output ?? outputPath(id),
          errors: outputPath(id, "stderr"),
          input
        })
        return { shell, gone: yield* goneOf(shell) }
      })

      /**
       * Starts it in a window, where it tells its end itself. Returns an effect that says whether the launcher has
       * ended.
       */
      const startWindowed = Effect.fnUntraced(function* (
        { cwd, id, output, place, title }: Launch,
        start: Start
      ): Effect.fn.Return<Effect.Effect<boolean, LaunchFailed>, LaunchFailed> {
        if (!terminals.includes(place)) return yield* new LaunchFailed({ message: `this souffleur has no ${place}` })
        const files = ends.window(id)
        const shown = output === null ? asWindow(start, files) : yield* inWindow(start, files)
        if (place === "kitty") return yield* startKitty(shown, { title, cwd, variables })
        if (place === "tmux") return yield* goneOf(yield* startTmux({ variables, ...options.tmux }, shown, title))
        return windowWords === undefined
          ? yield* new LaunchFailed({ message: "no words are set that open a window" })
          : yield* startWindow(windowWords, shown, { title, cwd, variables })
      })

      /** A terminal that does not answer is late, too. */
      const inTime = (late: string) =>
        Effect.timeoutOrElse({
          duration: options.receiptTimeout ?? "15 seconds",
          orElse: () => Effect.fail(new LaunchFailed({ message: late, momentary: true }))
        })

      const attempt = Effect.fnUntraced(function* (id: string) {
        const earlierTaker = yield* receiptTaker(id, Effect.succeed(false))
        if (Option.isSome(earlierTaker)) return earlierTaker.value
        const launch = yield* files.read(id)
        const message = obstacle(launch)
        if (message !== undefined) return yield* new LaunchFailed({ message, momentary: true })
        const start: Start = { line: [...options.entry, pathOf(id)], environment: { [launchVariable]: id } }
        const isWindow = launch.place !== "headless"
        const started: Effect.Effect<Started, LaunchFailed> = isWindow
          ? Effect.map(startWindowed(launch, start), (gone) => ({ gone }))
          : startOwn(launch, start)
        const taken = Effect.flatMap(started, ({ gone, shell }) =>
          untraced(receiptTaker(id, gone)).pipe(
            Effect.repeat({ until: Option.isSome, schedule: receiptPoll }),
            Effect.map(Option.getOrThrow),
            // The shell ends with its agent.
            Effect.tap((agent) => Effect.sync(() => shell !== undefined && endsWith(agent.pid, shell)))
          )
        )
        if (!isWindow) return yield* inTime("the launcher took too long")(taken)
        return yield* Effect.mapError(inTime("it took too long")(taken), (error) =>
          error === cancelled ? error : new LaunchFailed({ message: error.message, noWindow: true })
        )
      })

      const launch = Effect.fn("Launcher.launch")(function* (id: string) {
        yield* checkId(id)
        return yield* Effect.uninterruptibleMask((restore) =>
          Effect.flatMap(Effect.exit(restore(attempt(id))), (exit) =>
            Exit.isSuccess(exit)
              ? Effect.as(
                  Effect.sync(() => decided(id)),
                  exit.value
                )
              : // Failed, late or interrupted: how far the launcher came is unknown, so its name is taken from it.
                Effect.flatMap(close(id), Option.match({ onNone: () => exit, onSome: Effect.succeed }))
          )
        )
      })

      const settle = Effect.fn("Launcher.settle")(function* (id: string) {
        yield* checkId(id)
        return yield* Effect.catchDefect(close(id), (defect) =>
          Effect.fail(
            new LaunchFailed({ message: defect instanceof Error ? defect.message : "the receipt cannot be read" })
          )
        )
      })

      return Launcher.of({
        terminals,
        hasPty,
        prepare,
        launch,
        settle,
        kept,
        forget,
        endOf: ends.of,
        outputPath,
        bound: (prefix) =>
          Effect.forEach([folder, join(options.stateDir, "guardians")], (each) => boundOutputs(each, prefix), {
            concurrency: 2,
            discard: true
          }),
        inWindow: (id) => Effect.sync(() => isLaunchId(id) && ends.inWindow(id))
      })
    })
  )
