import { type ProgramFailed, runProgram } from "@souffleur/process"
import { Effect, FileSystem, Option, Path, Schedule } from "effect"
import { ChildProcess } from "effect/process"
import { Environment } from "../world/CommandEnvironment.ts"
import { DemoFailed } from "./Scene.ts"

/** The folder where Debian has the programs of each version. */
const versions = "/usr/lib/postgresql"

const failed = ({ message }: ProgramFailed) => new DemoFailed({ message: `Postgres, which the demo needs: ${message}` })

/** Finds the folder of Postgres' programs, the newest version first. Fails with `DemoFailed` where there is none. */
const programs = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const { variables } = yield* Environment
  const installed = yield* Effect.orElseSucceed(fs.readDirectory(versions), () => [])
  const folders = [
    ...installed.toSorted((a, b) => Number(b) - Number(a)).map((version) => path.join(versions, version, "bin")),
    ...(variables["PATH"] ?? "").split(":").filter((folder) => path.isAbsolute(folder))
  ]
  const found = yield* Effect.findFirst(folders, (folder) =>
    Effect.orElseSucceed(fs.exists(path.join(folder, "initdb")), () => false)
  )
  return yield* Effect.mapError(
    Effect.fromOption(found),
    () => new DemoFailed({ message: "there is no Postgres, which it needs: apt-get install postgresql" })
  )
})

/**
 * Starts a Postgres in a temporary folder, which ends with its scope, and returns its URL. No network reaches it. Fails
 * with `DemoFailed` where there is none, or it does not start.
 */
export const demoPostgres = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const bin = yield* programs
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-demo-" })
  // It refuses to run as root, and has a user of its own.
  const isRoot = Option.contains((yield* fs.stat(folder)).uid, 0)
  const words = (name: string, ...args: ReadonlyArray<string>): readonly [string, ...ReadonlyArray<string>] => {
    const own = [path.join(bin, name), ...args] as const
    return isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups", ...own] : own
  }
  const ran = ([command, ...args]: readonly [string, ...ReadonlyArray<string>]) =>
    runProgram({ command, args, stdin: "", within: "2 minutes", atMost: 1_000_000, heard: true })
  const data = path.join(folder, "data")
  const made = words("initdb", "-D", data, "-U", "souffleur", "--auth=trust", "-E", "UTF8", "--no-sync")
  if (isRoot) yield* Effect.mapError(ran(["chown", "postgres:postgres", folder]), failed)
  yield* Effect.mapError(ran(made), failed)
  const [command, ...args] = words("postgres", "-D", data, "-k", folder, "-c", "listen_addresses=")
  yield* ChildProcess.make(command, args, {
    cwd: folder,
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
    killSignal: "SIGQUIT"
  })
  yield* Effect.retry(ran(words("pg_isready", "-h", folder)), {
    schedule: Schedule.spaced("200 millis"),
    times: 300
  }).pipe(Effect.mapError(failed))
  return `postgres://souffleur@${encodeURIComponent(folder)}/postgres`
})
