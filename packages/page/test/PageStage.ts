import type { WatchEvent } from "@souffleur/domain"
import { EventLog } from "@souffleur/domain"
import { Souffleur } from "@souffleur/embed"
import { EventLogSql, Store } from "@souffleur/eventlog"
import { HostServices, Processes, SqliteClient } from "@souffleur/node"
import * as LoopbackServer from "@souffleur/node/loopback"
import { type RunEvent, RunLog, streamOf } from "@souffleur/plan"
import type { AgentPackage } from "@souffleur/process"
import { Deferred, type Duration, Effect, FileSystem, Layer, Path } from "effect"
import { type IncomingMessage, request } from "node:http"
import { utc } from "../../domain/src/Time.ts"
import { examples } from "../../domain/test/fixtures/events/Examples.ts"
import { servePage } from "../src/index.ts"

/** When the nights of these tests begin, in epoch ms: 22:00 UTC of 1 March 2026. */
export const began = 1_772_402_400_000

const minutes = (count: number) => began + count * 60_000

/** A night in which an agent dies, and is brought back. `from`: minutes after {@link began}. */
export const night = (project: string, from = 0): ReadonlyArray<WatchEvent> =>
  (
    [
      [0, "WatchOpened", { project }],
      [0, "OwnerTook", {}],
      [0, "ConductorConfirmed", {}],
      [0, "WatcherStarted", { watcher: 1, awaiting: false, mode: "normal" }],
      [0, "SelfMonitorStarted", { monitor: 1, watcher: 1 }],
      [1, "WatchSettled", {}],
      [180, "ConductorDied", {}],
      [180, "RecoveryStarted", { trigger: "pid" }],
      [181, "StepStarted", { step: "resume", kind: "launch" }],
      [181, "LaunchPrepared", {}],
      [182, "ConductorRelaunched", { provider: "resume_session", exportPath: null }],
      [182, "WatcherStarted", { watcher: 2, awaiting: false, mode: "normal" }],
      [183, "HandoffTaken", {}]
    ] as const
  ).map(([minute, tag, change]) => ({ ...examples[tag], ...change, at: minutes(from + minute) }) as WatchEvent)

/** An answer as it came. */
export interface Answered {
  readonly status: number
  readonly headers: IncomingMessage["headers"]
  readonly text: string
}

export interface Question {
  readonly method?: "GET" | "POST"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Asks with exactly these headers, as a browser or an attacker would. */
export const ask = (url: string, { body, headers = {}, method = "GET" }: Question = {}) =>
  Effect.callback<Answered>((resume) => {
    const sent = request(url, { method, headers, agent: false }, (answer) => {
      let text = ""
      answer.setEncoding("utf8").on("data", (more: string) => (text += more))
      answer.on("end", () => resume(Effect.succeed({ status: answer.statusCode ?? 0, headers: answer.headers, text })))
    })
    sent.on("error", (error) => resume(Effect.die(error)))
    sent.end(body)
    return Effect.sync(() => sent.destroy())
  })

/** The options of a stage. */
export interface StageOptions {
  readonly patience?: Duration.Input
  /** The agents whose sessions are read. Absent: the default one. */
  readonly agent?: AgentPackage
}

/** A page in a folder of the test's own, on a real log. */
export const makeStage = Effect.fnUntraced(function* ({ patience = "60 seconds", ...options }: StageOptions = {}) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-page-" }))
  const stateDir = path.join(home, "state")
  const project = path.join(home, "opera")
  yield* fs.makeDirectory(project)
  const souffleur = Souffleur.layerNode({
    ...options,
    stateDir,
    environment: { HOME: home, PATH: "/usr/bin:/bin", XDG_RUNTIME_DIR: home }
  })
  const context = yield* Layer.build(
    Layer.mergeAll(EventLog.layerSql(), RunLog.layerSql, EventLogSql.layerBeside()).pipe(
      Layer.provide(SqliteClient.layerOwn({ ...Store, path: path.join(stateDir, "souffleur.db") })),
      Layer.provideMerge(souffleur)
    )
  )
  const served = Effect.fnUntraced(function* (acts: boolean, port = 0) {
    const server = yield* Layer.build(LoopbackServer.layer({ port, patience }))
    return yield* servePage({ stateDir, acts, zone: utc, pageUrl: "https://night.example" }).pipe(
      Effect.provideContext(server)
    )
  }, Effect.provideContext(context))
  const tell = (id: string, events: ReadonlyArray<WatchEvent>, after = 0) =>
    Effect.provideContext(
      EventLog.use((log) => log.append(id, after, events)),
      context
    )
  const tellRun = (id: string, events: ReadonlyArray<RunEvent>, after = 0) =>
    Effect.provideContext(
      RunLog.use((log) => log.append(streamOf(id), after, events)),
      context
    )
  return {
    context,
    home,
    project,
    serve: served(true),
    serveAt: (port: number) => served(true, port),
    serveReading: served(false),
    stateDir,
    tell,
    tellRun
  }
})

/** Goes through the link as a browser does, and returns the address of the list and the cookie. */
export const enter = Effect.fnUntraced(function* (link: string) {
  const { headers } = yield* ask(link)
  const [cookie = ""] = (headers["set-cookie"] ?? [""])[0]!.split(";")
  return { list: new URL(headers.location ?? "", link).href, cookie, headers }
})

/** The services of this host, for a stage. */
export const layerStage = Layer.merge(HostServices.layer, Processes.layer)

/**
 * Opens a feed, which ends with its scope. `taking`: whether what comes is read at all. `until`: waits for what has
 * come so far.
 */
export const reading = Effect.fnUntraced(function* (
  url: string,
  headers: Readonly<Record<string, string>>,
  taking = true
) {
  let text = ""
  let look = () => {}
  const over = Deferred.makeUnsafe<void>()
  const sent = request(url, { headers, agent: false })
  const answer = yield* Effect.acquireRelease(
    Effect.callback<IncomingMessage>((resume) => {
      sent.on("response", (answer) => resume(Effect.succeed(answer)))
      sent.on("error", () => Deferred.doneUnsafe(over, Effect.void))
      sent.end()
    }),
    () => Effect.sync(() => sent.destroy())
  )
  answer.on("error", () => {}).on("close", () => Deferred.doneUnsafe(over, Effect.void))
  answer.socket.on("close", () => Deferred.doneUnsafe(over, Effect.void))
  if (taking) answer.setEncoding("utf8").on("data", (more: string) => ((text += more), look()))
  const until = (so: (text: string) => boolean) =>
    Effect.callback<void>((resume) => {
      look = () => so(text) && resume(Effect.void)
      look()
    })
  return { until, text: () => text, close: () => sent.destroy(), ended: Deferred.await(over) }
})
