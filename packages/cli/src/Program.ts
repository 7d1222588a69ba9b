import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { ErrandProcess, HostServices, meansFull, ownWords, publishedFolder, Signals } from "@souffleur/node"
import { Cause, Console, Deferred, Effect, Exit, Layer, Runtime } from "effect"
import { cli } from "./Cli.ts"
import { Environment, Unread, WorksUnread } from "./world/CommandEnvironment.ts"
import { layerOwnWarnings } from "./world/OwnWarnings.ts"
import { Departure } from "@souffleur/embed/internal"
import { DiskFull } from "./Failure.ts"
import { type Mark, makeMark, printing } from "./Printing.ts"
import { codeUnderLaunchd, underLaunchd } from "./service/LaunchdPlist.ts"
import { errandWords } from "./SmallEntry.ts"
import { debugging, uncaught } from "./Uncaught.ts"

const { argv, env, platform, stderr, stdout } = process

/** Returns the folder that the process was started in. `undefined`: it no longer exists. */
const folder = (): string | undefined => {
  try {
    return process.cwd()
  } catch {
    return undefined
  }
}

const environmentIn = (cwd: string) =>
  Layer.unwrap(
    Effect.map(makeMark, (mark) => {
      const colour: Mark = stdout.isTTY === true && (env["NO_COLOR"] ?? "") === "" ? mark : false
      const surroundings = Layer.succeed(Environment, {
        variables: env,
        cwd,
        platform,
        colour,
        columns: stdout.isTTY === true ? stdout.columns : undefined,
        // Standard input comes last: it is a stream that a start waits for.
        interactive: stdout.isTTY === true && process.stdin.isTTY === true,
        self: ownWords,
        published: publishedFolder()
      })
      return Layer.merge(surroundings, Layer.succeed(Console.Console, printing(colour)))
    })
  )

/** The errand for databases of others, started with the first request. */
const errands = Layer.unwrap(
  Effect.map(errandWords("database"), (words) => ErrandProcess.layer({ line: () => [...words, "__database"] }))
)

/** The exit code after a signal: 128 and its number, as a shell reports it. */
const codeOf = { SIGINT: 130, SIGTERM: 143 } as const

/** The exit code of a process without a reader: 128 and the number of SIGPIPE. */
const unreadCode = 141

/**
 * Milliseconds for the work in hand after a signal, because the sender waits about a second. Unfinished work is left as
 * after SIGKILL, which the log is made for. The goodbye is in the log by then.
 */
const exitWaitMillis = 900

const launchd = (env[underLaunchd] ?? "") !== ""
// launchd starts only this process: its children are without the mark.
delete env[underLaunchd]

/** Runs the command line as a process: arguments, streams, signals and exit code. */
export const runCommandLine = (): void => {
  const cwd = folder()
  if (cwd === undefined) {
    printing(false).error("souffleur: the folder that it was started in is gone: start it in a folder that exists")
    process.exitCode = launchd ? codeUnderLaunchd(2) : 2
    return
  }
  let interrupted: number = codeOf.SIGINT
  const left = Deferred.makeUnsafe<void>()
  Signals.answer((signal) => {
    interrupted = codeOf[signal]
    Deferred.doneUnsafe(left, Effect.void)
  }, exitWaitMillis)
  let unread = false
  let worksUnread = false
  for (const stream of [stdout, stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      const full = meansFull(error)
      if (error.code !== "EPIPE" && !full) uncaught(error)
      if (worksUnread) return
      if (!full) process.exit(unreadCode)
      const failure = new DiskFull({ what: stream === stdout ? "standard output" : "standard error" })
      printing(false).error(`souffleur: ${failure.message}`)
      process.exit(failure[Runtime.errorExitCode])
    })
  const teardown: Runtime.Teardown = (exit, onExit) => {
    // An output without a reader would keep the process for ever.
    const finish = unread ? process.exit : onExit
    const end = (code: number) => finish(launchd ? codeUnderLaunchd(code) : code)
    return Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
      ? end(interrupted)
      : Runtime.defaultTeardown(exit, end)
  }
  cli(argv.slice(2)).pipe(
    Effect.provideService(Departure, Deferred.await(left)),
    Effect.provideService(
      Unread,
      Effect.sync(() => void (unread = true))
    ),
    Effect.provideService(
      WorksUnread,
      Effect.sync(() => void (worksUnread = true))
    ),
    Effect.provide(
      errands.pipe(
        Layer.provideMerge(environmentIn(cwd)),
        Layer.merge(layerOwnWarnings(debugging)),
        Layer.provideMerge(HostServices.layerLimited)
      )
    ),
    NodeRuntime.runMain({ teardown })
  )
}
