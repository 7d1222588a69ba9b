import { type ChildProcess, spawn } from "node:child_process"
import * as fs from "node:fs"
import * as os from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Event, watchCodec, type WatchEvent } from "@souffleur/domain"
import { Deferred, Effect, Exit, Redacted } from "effect"
import { compiledOf } from "../cli/Build.ts"
import { bundle } from "../cli/Built.ts"
import { freePort, listening } from "./PostgresServer.ts"

type Variables = Readonly<Record<string, string>>

const at = 1_790_000_000_000
const gone = { pid: 4_190_000, startTime: 1, bootId: "boot" }
const baseline = { taskCount: 0, taskFingerprint: "0 ", conductorState: "working", lastMessageId: 0 }
/** The events of a watch that a souffleur has left. */
export const settled = [
  Event.ConductorConfirmed.make({ at, conductor: gone, sessionId: "s", print: true, ...baseline }),
  Event.WatchSettled.make({ at })
]

/** A process of souffleur, and what it has printed so far. */
const started = (args: ReadonlyArray<string>, env: Variables, input = "", within: ReadonlyArray<string> = []) => {
  const [program, ...words] = [...within, process.execPath, bundle, ...args]
  const child = spawn(program!, words, { env, cwd: env["HOME"], stdio: ["pipe", "pipe", "pipe"] })
  const said = { out: "", errors: "" }
  child.stdin.end(input)
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said.out += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (said.errors += text))
  const code = new Promise<number | null>((resolve) => child.on("close", resolve))
  return { child, said, code: Effect.promise(() => code) }
}

/** Reads the log of a host. */
const reading = <A>(file: string, read: (db: DatabaseSync) => A): A => {
  const db = new DatabaseSync(file, { readOnly: true, timeout: 10_000 })
  try {
    return read(db)
  } finally {
    db.close()
  }
}

/** Ends a process at once, and waits until it is gone. */
export const killed = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("exit", () => resume(Effect.void))
    child.kill("SIGKILL")
  })

/** A home for hub and hosts of a test. Every process that it started ends with it. */
export const fleetStage = Effect.fnUntraced(function* (database: Redacted.Redacted) {
  const home = yield* Effect.acquireRelease(
    Effect.sync(() => fs.realpathSync(fs.mkdtempSync(join(os.tmpdir(), "souffleur-fleet-")))),
    (home) => Effect.sync(() => fs.rmSync(home, { recursive: true, force: true, maxRetries: 20 }))
  )
  const children: Array<ChildProcess> = []
  const lost = yield* Deferred.make<never>()
  /** Keeps the words of a shipper or a hub that ends by itself. A killed one has no exit code. */
  const lasting = (words: string, one: ReturnType<typeof started>) => {
    one.child.on("close", (code) => {
      if (code !== null)
        Deferred.doneUnsafe(lost, Exit.die(new Error(`${words} ended with ${code}: ${one.said.errors}`)))
    })
    return one
  }
  yield* Effect.addFinalizer(() => Effect.forEach(children, killed, { discard: true }))
  // The homes are new: the hosts, the hub and the people have their compiled code together.
  const base = { PATH: "/usr/bin:/bin", NODE_COMPILE_CACHE: compiledOf(bundle) }
  const port = yield* freePort
  const url = `http://127.0.0.1:${port}`
  const hubVariables = { ...base, HOME: home, SOUFFLEUR_HUB_DATABASE: Redacted.value(database) }
  const start = (args: ReadonlyArray<string>, env: Variables, input?: string, within?: ReadonlyArray<string>) => {
    const one = started(args, env, input, within)
    children.push(one.child)
    return one
  }
  const run = Effect.fnUntraced(function* (
    args: ReadonlyArray<string>,
    env: Variables,
    input?: string,
    within?: ReadonlyArray<string>
  ) {
    const one = start(args, env, input, within)
    return { code: yield* one.code, ...one.said }
  })
  /** A host with a state folder of its own. `within`: the words before each command there. */
  const host = (name: string, within?: ReadonlyArray<string>) => {
    const folder = join(home, name)
    fs.mkdirSync(folder)
    const env = { ...base, HOME: folder, SOUFFLEUR_STATE_DIR: join(folder, "state") }
    const file = join(folder, "state", "souffleur.db")
    let written = 0
    return {
      name,
      folder,
      ask: (args: ReadonlyArray<string>, input?: string, more: Variables = {}) =>
        run(args, { ...env, ...more }, input, within),
      ship: (more: Variables = {}) =>
        lasting(`the shipper of ${name}`, start(["fleet", "ship", "--json"], { ...env, ...more }, "", within)),
      /** Appends rows to the log, as a watch would, with data of any size. */
      write: (rows: number) => {
        const db = new DatabaseSync(file, { timeout: 10_000 })
        try {
          const put = db.prepare(
            "INSERT INTO events (stream, revision, tag, version, at, data) VALUES (?, ?, ?, ?, ?, ?)"
          )
          db.exec("BEGIN IMMEDIATE")
          for (let n = 0; n < rows; n++) {
            const size = written % 97 === 0 ? 20_000 : written % 50
            put.run(
              `load-${name}`,
              ++written,
              "HeldWatch",
              1,
              1_790_000_000_000 + written,
              `{"n":${written},  "é":"${"x".repeat(size)}"}`
            )
          }
          db.exec("COMMIT")
        } finally {
          db.close()
        }
      },
      /** Opens a watch in the log, without a souffleur. More events may follow. */
      open: (id: string, ...more: ReadonlyArray<WatchEvent>) => {
        const db = new DatabaseSync(file, { timeout: 10_000 })
        const at = 1_790_000_000_000
        const asked = { project: `/p/${id}`, comms: null, pid: 7, sessionId: "s", observe: false }
        const put = db.prepare(
          "INSERT INTO events (stream, revision, tag, version, at, data) VALUES (?, ?, ?, ?, ?, ?)"
        )
        for (const [n, event] of [Event.WatchOpened.make({ at, ...asked }), ...more].entries()) {
          const { at, data, tag, version } = watchCodec.encode(event)
          put.run(id, n + 1, tag, version, at, data)
        }
        db.close()
      },
      /** The rows of some streams of the log, as `night-*`; without a name those of all. */
      rows: (streams = "*") =>
        reading(file, (db) =>
          db
            .prepare(
              `SELECT position, stream, revision, tag, version, at, data FROM events
              WHERE stream GLOB '${streams}' ORDER BY position`
            )
            .all()
            .map((row) => Object.values(row))
        ),
      /** The position of the last event of the log. */
      position: () =>
        reading(file, (db) => Number(db.prepare("SELECT max(position) AS last FROM events").get()?.["last"]))
    }
  }
  /** Starts a hub on a port, with more words and variables. */
  const serveOn = Effect.fnUntraced(function* (port: number, words: ReadonlyArray<string>, more: Variables = {}) {
    const one = lasting(
      "a hub",
      start(["hub", "serve", "--json", "--port", String(port), ...words], { ...hubVariables, ...more })
    )
    yield* listening(port)
    return one
  })
  const serveAs = (words: ReadonlyArray<string>, more?: Variables) => serveOn(port, words, more)
  return {
    home,
    url,
    host,
    /** Dies once a shipper or a hub has ended by itself. A test that waits for one would wait for ever. */
    lost: Deferred.await(lost),
    hub: (args: ReadonlyArray<string>) => run(["hub", ...args], hubVariables),
    serve: serveAs([]),
    serveAs,
    /** Starts another hub on the same database. */
    another: Effect.fnUntraced(function* (words: ReadonlyArray<string> = [], more?: Variables) {
      const port = yield* freePort
      const { child } = yield* serveOn(port, words, more)
      return { child, port, url: `http://127.0.0.1:${port}` }
    }),
    /** Enrols a host, and adds it to the fleet. */
    joined: Effect.fnUntraced(function* (name: string, words: ReadonlyArray<string> = []) {
      const one = host(name)
      const { out } = yield* run(["hub", "enrol", name], hubVariables)
      const { code, errors } = yield* one.ask(["fleet", "join", url, ...words], out)
      if (code !== 0) return yield* Effect.die(new Error(`join ended with ${code}: ${errors}`))
      return one
    }),
    /** Adds a person to the hub, who logs in from a folder of their own. */
    person: Effect.fnUntraced(function* (name: string, role: "viewer" | "operator") {
      const one = host(`home-${name}`)
      const { out } = yield* run(["hub", "person", "add", name, "--role", role], hubVariables)
      const { code, errors } = yield* one.ask(["fleet", "login", url], out)
      if (code !== 0) return yield* Effect.die(new Error(`login ended with ${code}: ${errors}`))
      return { token: out.trim(), ask: one.ask }
    })
  }
})
