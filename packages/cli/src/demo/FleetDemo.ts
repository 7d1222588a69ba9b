import { CommsSchema } from "@souffleur/comms"
import { EventLog, freshUuid, type ResolvedSettings, type WatchEvent } from "@souffleur/domain"
import { layerStore } from "@souffleur/embed/internal"
import { FleetDesk, logins, memberships } from "@souffleur/fleet"
import { SqliteClient } from "@souffleur/node"
import { Effect, FileSystem, Path, Schedule, Schema, Stream } from "effect"
import { argumentsOf } from "../agent/StandInAgent.ts"
import { printView } from "../fleet/FleetTable.ts"
import { printLines } from "../Printing.ts"
import { demoPostgres } from "./DemoPostgres.ts"
import { broughtBy, DemoFailed, exists, firstLine, makeScene, toldBy } from "./Scene.ts"

const names = ["build1", "build2", "build3"]
const tasks = ["stage", "curtain"].map((name, n) => ({
  id: `task-0${n + 1}`,
  file: `${name}.txt`,
  text: `The ${name} is ready.\n`,
  millis: 300
}))

const Served = Schema.fromJsonString(Schema.Struct({ url: Schema.String }))
const Given = Schema.fromJsonString(Schema.Struct({ token: Schema.RedactedFromValue(Schema.String) }))

/** Waits until the log of a host has an event of this kind. */
const happened = (settings: ResolvedSettings, tag: WatchEvent["_tag"]) =>
  Effect.gen(function* () {
    const log = yield* EventLog
    const [id = ""] = yield* Effect.repeat(log.streams, {
      schedule: Schedule.spaced("50 millis"),
      until: ([one]) => one !== undefined
    })
    yield* Stream.runHead(Stream.filter(log.changes(id, 0), ({ event }) => event._tag === tag))
  }).pipe(Effect.orDie, Effect.provide(layerStore(settings)))

/** Starts the agent of a host and the souffleur that watches it. The agent waits in its last task until its release. */
const worked = Effect.fnUntraced(function* ({
  hold,
  pidFile,
  project,
  settings,
  start
}: Effect.Success<ReturnType<typeof makeScene>>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  yield* fs.writeFileString(path.join(project, "plan.json"), JSON.stringify({ tasks }))
  yield* Effect.provide(CommsSchema.init(path.join(project, "comms.db")), SqliteClient.layerSqlite)
  yield* hold(tasks.at(-1)!.id)
  const sessionId = yield* freshUuid
  const agent = yield* start(["__stand-in", ...argumentsOf(sessionId, "Work on the plan.")])
  yield* broughtBy(agent, "the first session file", exists(pidFile(agent.pid)))
  const souffleur = yield* start(["watch", "--pid", String(agent.pid), "--session-id", sessionId])
  yield* broughtBy(souffleur, "the watch", happened(yield* settings, "WatchSettled"))
  return { agent, souffleur }
})

/**
 * Plays a fleet on real processes: three hosts, a hub, and a Postgres of its own. The hub is killed, and an agent dies
 * meanwhile. Its own host brings it back, and the hub shows that once it is there again. Another host cannot, until a
 * person says `retry` from elsewhere. Fails with `DemoFailed` when an act does not happen, or there is no Postgres.
 */
export const fleetDemo = Effect.fn("fleetDemo")(function* () {
  const database = yield* demoPostgres
  const scenes = yield* Effect.forEach(names, () => makeScene())
  const { brush, detail, next, say, start } = scenes[0]!
  const first = (handle: Effect.Success<ReturnType<typeof start>>, what: string) =>
    broughtBy(handle, what, firstLine(handle))
  const serve = Effect.fnUntraced(function* (port: string) {
    const hub = yield* start(["hub", "serve", "--database", database, "--port", port, "--json"])
    const { url } = yield* Effect.orDie(Schema.decodeEffect(Served)(yield* first(hub, "the hub")))
    return { hub, url }
  })

  yield* say("A hub begins, with a Postgres of its own: souffleur hub serve")
  const { hub, url } = yield* serve("0")
  yield* say(`Three hosts, each with a state folder, an agent, and a shipper: ${names.join(", ")}`)
  yield* detail(`on the hub: souffleur hub enrol NAME; on the host: souffleur fleet join ${url}, souffleur fleet ship`)
  const tokenBy = Effect.fnUntraced(function* (words: ReadonlyArray<string>) {
    const given = yield* start(["hub", ...words, "--database", database, "--json"])
    const { token } = yield* Effect.orDie(Schema.decodeEffect(Given)(yield* first(given, "the token")))
    return token
  })
  const hosts = yield* Effect.forEach(scenes, (scene, n) =>
    Effect.gen(function* () {
      const token = yield* tokenBy(["enrol", names[n]!])
      const { stateDir } = yield* scene.settings
      const work = yield* worked(scene)
      const log = yield* freshUuid
      // `fleet join` is for a person alone, and an agent may play this too.
      yield* memberships.keep(stateDir, { version: 1, url, log, token, readOnly: false })
      yield* scene.start(["fleet", "ship"])
      return { ...scene, ...work, log }
    })
  )
  const person = yield* tokenBy(["person", "add", "you", "--role", "operator"])
  const look = FleetDesk.use(({ view }) => view).pipe(Effect.provide(FleetDesk.layerHttp({ url, token: person })))
  type Shown = Effect.Success<typeof look>
  const shows = (who: typeof hub, what: string, so: (view: Shown) => boolean) =>
    broughtBy(
      who,
      what,
      Effect.option(look).pipe(
        Effect.repeat({
          schedule: Schedule.spaced("200 millis"),
          until: (view) => view._tag === "Some" && so(view.value)
        }),
        Effect.flatMap(Effect.fromOption),
        Effect.orDie
      )
    )
  const all = (state: string) => (view: Shown) =>
    view.jobs.length === names.length && view.jobs.every((job) => job.state === state)
  const working = yield* shows(hub, "three agents in the view", all("working"))
  yield* say(
    "A person sees all of them: souffleur hub person add you --role operator; souffleur fleet login, souffleur status --fleet"
  )
  yield* printView(working, { asJson: false, speaks: true })

  const { agent, log, settings, souffleur } = hosts[1]!
  yield* say(`The hub is killed: kill -9 ${hub.pid}. And the agent of build2: kill -9 ${agent.pid}`)
  yield* hub.kill({ killSignal: "SIGKILL" })
  yield* agent.kill({ killSignal: "SIGKILL" })
  yield* broughtBy(souffleur, "the successor", happened(yield* settings, "ConductorRelaunched"))
  yield* say("build2 has brought its agent back: no host waits for a hub")
  const again = yield* serve(new URL(url).port)
  yield* say("The hub begins again, and each shipper goes on where it was")
  const mended = yield* shows(again.hub, "the second generation in the view", (view) =>
    view.jobs.some((job) => job.log === log && job.generation === 2 && job.state === "working")
  )
  yield* printView(mended, { asJson: false, speaks: true })

  const last = hosts[2]!
  const ofLast = (so: (job: Shown["jobs"][number]) => boolean) => (view: Shown) =>
    view.jobs.some((job) => job.log === last.log && so(job))
  yield* say(
    `A bad update: build3 cannot run its agent's program any more. And the agent dies: kill -9 ${last.agent.pid}`
  )
  yield* last.spoil
  yield* last.agent.kill({ killSignal: "SIGKILL" })
  const stuck = yield* shows(
    again.hub,
    "the need of build3",
    ofLast(({ need }) => need !== null)
  )
  yield* printView(stuck, { asJson: false, speaks: true })
  yield* last.install
  const { id = "" } = stuck.jobs.find((job) => job.log === last.log) ?? {}
  yield* say(
    `The program is back, and a person says retry to build3 from elsewhere: souffleur fleet retry build3/${id}`
  )
  yield* logins.keep((yield* scenes[0]!.settings).stateDir, { version: 1, url, token: person })
  const word = yield* toldBy(yield* start(["fleet", "retry", `build3/${id}`]))
  yield* Effect.forEach(word.lines, detail)
  if (word.code !== 0) {
    // An agent's session says no word of a person. It may play this, and types the command of that host.
    yield* say(`No word goes through the fleet here. So it is said on build3 itself: souffleur retry ${id}`)
    yield* Effect.forEach((yield* toldBy(yield* last.start(["retry", id]))).lines, detail)
  }
  const back = yield* shows(
    again.hub,
    "the second generation of build3",
    ofLast(({ generation, state }) => generation === 2 && state === "working")
  )
  yield* printView(back, { asJson: false, speaks: true })

  yield* Effect.forEach(hosts, ({ release }) => release(tasks.at(-1)!.id))
  const ended = yield* shows(again.hub, "the end of all work", all("ended"))
  yield* printView(ended, { asJson: false, speaks: true })
  const codes = yield* Effect.forEach(hosts, (host) => broughtBy(host.souffleur, "its end", host.souffleur.exitCode))
  if (codes.some((code) => code !== 0))
    return yield* new DemoFailed({ message: `a souffleur ended with ${codes.join(", ")}` })
  yield* say(
    brush(
      "green",
      "Three hosts, one view, and one place to say a word. Each host is its own, with a hub and without one."
    )
  )
  yield* say("The hub ends here, with its Postgres. Each host keeps its own log:")
  yield* Effect.forEach(hosts, (host, n) =>
    Effect.gen(function* () {
      const { stateDir } = yield* host.settings
      yield* detail(`${names[n]}: SOUFFLEUR_STATE_DIR=${stateDir}`)
      yield* memberships.forget(stateDir)
      yield* logins.forget(stateDir)
    })
  )
  yield* printLines(`\nThis is for ${names[0]}. ${next("status", "log --all")}`)
}, Effect.scoped)
