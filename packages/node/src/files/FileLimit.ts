import { dirname, resolve } from "node:path"
import { Words } from "@souffleur/domain"
import { Duration, Effect, Exit, Fiber, PlatformError } from "effect"

/** Time for one operation on a file. A file system that is alive answers in far less. */
const limit = Duration.seconds(30)

/** Threads of Node for files. An operation that hangs keeps one of them until its file system answers. */
const threads = Number(process.env["UV_THREADPOOL_SIZE"]) || 4

interface Hanging {
  readonly path: string
}
/** The operations of this process whose time is over, and which have not returned yet. */
const hanging = new Set<Hanging>()

/** Returns the folder of a file, which most likely is in the same file system. */
const around = (path: string) => (dirname(path) === "/" ? path : dirname(path))
const isIn = (path: string, folder: string) => path === folder || path.startsWith(`${folder}/`)

/** Returns the operation that hangs beside a path, or any, where no thread is left. */
const hangingBeside = (path: string): Hanging | undefined => {
  const all = [...hanging]
  return all.find((one) => isIn(path, around(one.path))) ?? (all.length < threads ? undefined : all[0])
}

/** Returns whether an operation hangs beside a path. */
export const hangs = (name: string): boolean => hangingBeside(resolve(name)) !== undefined

/**
 * Ends this process in spite of a thread that hangs. Node itself would wait for that thread. `execve` ends all threads,
 * and another program then ends with the exit code.
 */
const leave = (code: number) => {
  if (hanging.size === 0) return
  if (process.execve === undefined) process.kill(process.pid, "SIGKILL")
  else process.execve("/bin/sh", ["sh", "-c", `exit ${code}`], {})
}
let leaving = false

const timedOut = (path: string, description: string) =>
  Effect.fail(
    PlatformError.systemError({
      _tag: "TimedOut",
      module: "FileSystem",
      method: "read",
      pathOrDescriptor: path,
      description
    })
  )

/**
 * Limits the time of one operation on a file (spec: behaviour#reads-that-hang). No call of the system can be taken
 * back, so its thread stays until the file system answers. Meanwhile nothing else of that folder is asked, and no other
 * thread is lost to it. `late` gets a result that comes after its time. Fails with `PlatformError` (`TimedOut`).
 */
export const limited = <A>(
  name: string,
  act: Effect.Effect<A, PlatformError.PlatformError>,
  late: (value: A) => Effect.Effect<void> = () => Effect.void
): Effect.Effect<A, PlatformError.PlatformError> =>
  Effect.gen(function* () {
    const path = resolve(name)
    const beside = hangingBeside(path)
    if (beside !== undefined) return yield* timedOut(path, `not before ${beside.path} answers, which hangs`)
    const doing = yield* Effect.forkDetach(act, { startImmediately: true })
    return yield* Effect.timeoutOrElse(Fiber.join(doing), {
      duration: limit,
      orElse: Effect.fnUntraced(function* () {
        const mine = { path }
        hanging.add(mine)
        if (!leaving) process.once("exit", leave)
        leaving = true
        doing.addObserver((exit) => {
          hanging.delete(mine)
          if (Exit.isSuccess(exit)) Effect.runFork(late(exit.value))
        })
        const what = `did not answer within ${Words.duration(Duration.toMillis(limit))}`
        yield* Effect.logWarning(`${path} ${what}: nothing beside it is read until it does`)
        return yield* timedOut(path, `it ${what}`)
      })
    })
  })
