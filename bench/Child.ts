import { Effect, Path, Stream } from "effect"
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

const cli = `${import.meta.dirname}/../packages/cli`

/** Builds the command from the source as it is now. An older build, or none, would be measured in its place. */
export const built = child(process.execPath, [`${cli}/build.ts`])

/** Command of souffleur as its users run it, once it is {@link built}. */
export const souffleur = Effect.gen(function* () {
  const path = yield* Path.Path
  const entry = path.resolve(cli, "dist/souffleur.cjs")
  return {
    entry,
    run: (args: ReadonlyArray<string>, env: Readonly<Record<string, string>>) =>
      child(process.execPath, ["--import", tellsPeak, entry, ...args], env)
  }
})
