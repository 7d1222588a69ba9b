import { Effect, FileSystem, Path, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { timed } from "./Table.ts"

/**
 * Makes the child report its peak memory as it ends. It reads its own address space, because `maxRSS` keeps the
 * parent's value over exec.
 */
const tellsPeak = `data:text/javascript,${encodeURIComponent(
  'import { readFileSync, writeSync } from "node:fs"; process.on("exit", () => writeSync(2, readFileSync("/proc/self/status")))'
)}`

/** Runs a program once. Returns its seconds from start to end, and its peak in megabytes where it reports one. */
export const child = Effect.fnUntraced(function* (
  program: string,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {},
  input = ""
) {
  let told = ""
  const run = Effect.gen(function* () {
    const handle = yield* ChildProcess.make(program, args, {
      env,
      extendEnv: true,
      stdin: Stream.make(new TextEncoder().encode(input))
    })
    const hear = handle.stderr.pipe(
      Stream.decodeText(),
      Stream.runForEach((text) => Effect.sync(() => (told += text)))
    )
    yield* Effect.all([Stream.runDrain(handle.stdout), hear], { concurrency: 2 })
    const code = yield* handle.exitCode
    if (code !== 0)
      return yield* Effect.die(new Error(`${program} ended with exit code ${code}: ${told.slice(0, 300)}`))
  }).pipe(Effect.scoped)
  const seconds = yield* timed(run)
  const kilobytes = /VmHWM:\s*(\d+) kB/u.exec(told)?.[1]
  return { seconds, megabytes: kilobytes === undefined ? Number.NaN : Number(kilobytes) / 1024 }
})

/** Runs a program in a folder of its own until the scope ends. */
export const running = (
  program: string,
  args: ReadonlyArray<string>,
  cwd: string,
  env: Readonly<Record<string, string>>
) => ChildProcess.make(program, args, { cwd, env, extendEnv: true, stderr: "ignore" })

/** Command of souffleur as its users run it: the bundle where it was built, else the source. */
export const souffleur = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const cli = path.join(import.meta.dirname, "..", "packages/cli")
  const bundle = path.join(cli, "dist/souffleur.js")
  const built = yield* fs.exists(bundle)
  const entry = built ? bundle : path.join(cli, "src/main.ts")
  return {
    entry,
    what: built ? "the bundle" : "the source (not built)",
    run: (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
      child(process.execPath, ["--import", tellsPeak, entry, ...args], env)
  }
})
