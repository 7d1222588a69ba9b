import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as net from "node:net"
import * as os from "node:os"
import { join } from "node:path"
import { Effect, Redacted, Schedule } from "effect"

/** Folders of Postgres' programs, as Debian and others have them. The newest comes first. */
const folders = [
  ...(fs.existsSync("/usr/lib/postgresql")
    ? fs
        .readdirSync("/usr/lib/postgresql")
        .toSorted((a, b) => Number(b) - Number(a))
        .map((version) => `/usr/lib/postgresql/${version}/bin`)
    : []),
  ...(process.env["PATH"] ?? "").split(":")
]
const programs = folders.find(
  (folder) => fs.existsSync(join(folder, "initdb")) && fs.existsSync(join(folder, "postgres"))
)

/** Why the tests of the fleet are skipped; `undefined`: Postgres is there. */
export const noPostgres = programs === undefined ? "there is no Postgres: apt-get install postgresql" : undefined

/** The words before a command of the server, which refuses to run as root. */
const asServer = process.getuid?.() === 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
const run = ([program, ...args]: ReadonlyArray<string>) => execFileSync(program!, args, { stdio: "pipe", cwd: "/" })

export const freePort = Effect.callback<number>((resume) => {
  const one = net.createServer().listen(0, "127.0.0.1", () => {
    const { port } = one.address() as net.AddressInfo
    one.close(() => resume(Effect.succeed(port)))
  })
})

const accepts = (port: number) =>
  Effect.callback<boolean>((resume) => {
    const socket = net.connect(port, "127.0.0.1")
    socket.on("connect", () => (socket.destroy(), resume(Effect.succeed(true))))
    socket.on("error", () => resume(Effect.succeed(false)))
  })

/** Waits until something listens on a port of this machine. */
export const listening = (port: number) =>
  Effect.repeat(accepts(port), { until: (yes) => yes, schedule: Schedule.spaced("20 millis") })

/** A Postgres of the test's own, in a temporary folder and on loopback alone. */
export const postgresServer = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => fs.mkdtempSync(join(os.tmpdir(), "souffleur-postgres-"))),
    (folder) => Effect.sync(() => fs.rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  )
  if (asServer.length > 0) run(["chown", "postgres:postgres", folder])
  const data = join(folder, "data")
  run([
    ...asServer,
    join(programs!, "initdb"),
    "-D",
    data,
    "-U",
    "souffleur",
    "--auth=trust",
    "-E",
    "UTF8",
    "--no-sync"
  ])
  const port = yield* freePort
  let server: ChildProcess | undefined
  const start = Effect.gen(function* () {
    const [program, ...args] = [...asServer, join(programs!, "postgres"), "-D", data, "-p", String(port), "-k", folder]
    server = spawn(program!, [...args, "-c", "listen_addresses=127.0.0.1"], { stdio: "ignore", cwd: "/" })
    yield* listening(port)
    yield* Effect.retry(query("SELECT 1"), Schedule.spaced("50 millis"))
  })
  const query = (sql: string, database = "postgres") =>
    Effect.try(() =>
      run([
        ...asServer,
        join(programs!, "psql"),
        "-h",
        "127.0.0.1",
        "-p",
        String(port),
        "-U",
        "souffleur",
        "-d",
        database,
        "-qAt",
        "-c",
        sql
      ])
        .toString()
        .trim()
    )
  const ended = (child: ChildProcess) =>
    Effect.callback<void>((resume) => {
      if (child.exitCode !== null || child.signalCode !== null) resume(Effect.void)
      else child.once("exit", () => resume(Effect.void))
    })
  /** Ends the server at once, and with it every process of its own. */
  const kill = Effect.gen(function* () {
    if (server === undefined) return
    // `kill -9` of the first process: its others notice, and the next start recovers from the journal.
    server.kill("SIGKILL")
    yield* ended(server)
    yield* Effect.repeat(
      Effect.sync(() => spawnedBy(data)),
      { until: (left) => left === 0, schedule: Schedule.spaced("20 millis") }
    )
  })
  yield* Effect.addFinalizer(() => kill)
  yield* start
  /** Runs a client program of Postgres on a database, and returns its output. */
  const client = (program: string, database: string, input: string, ...args: ReadonlyArray<string>) =>
    Effect.sync(() =>
      execFileSync(
        join(programs!, program),
        ["-h", "127.0.0.1", "-p", String(port), "-U", "souffleur", "-d", database, ...args],
        {
          input,
          encoding: "utf8",
          maxBuffer: 1e9
        }
      )
    )
  let databases = 0
  return {
    port,
    start,
    kill,
    query,
    dump: (database: string) => client("pg_dump", database, ""),
    restore: (database: string, dump: string) => client("psql", database, dump, "-q", "-v", "ON_ERROR_STOP=1"),
    /** Makes an empty database, and returns its URL. */
    database: Effect.suspend(() => {
      const name = `hub${++databases}`
      return Effect.as(query(`CREATE DATABASE ${name}`), {
        name,
        url: Redacted.make(`postgres://souffleur@127.0.0.1:${port}/${name}`)
      })
    })
  }
})

/** How many processes of a server still have its data folder. */
const spawnedBy = (data: string): number =>
  fs.readdirSync("/proc").filter((pid) => {
    if (!/^\d+$/u.test(pid)) return false
    try {
      return (
        fs.readlinkSync(`/proc/${pid}/cwd`) === data && !/ [ZX] /u.test(fs.readFileSync(`/proc/${pid}/stat`, "utf8"))
      )
    } catch {
      return false
    }
  }).length
