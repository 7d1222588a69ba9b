import { encodeEvent, Event, type WatchEvent } from "@souffleur/domain"
import { Store } from "@souffleur/eventlog"
import { DatabaseSync } from "node:sqlite"
import { cycle, sessionId } from "./Samples.ts"

/** The watch of the agent that asks. */
export const here = { id: "here-0001", sessionId }
const owner = {
  host: "bench",
  machine: null,
  pidNamespace: "pid:[1]",
  process: { pid: 4_190_000, startTime: 1, bootId: "bench" }
}
const baseline = { taskCount: 0, taskFingerprint: "", conductorState: null, lastMessageId: 0 }

/** Makes the events of a watch that is under way. */
const begun = (
  project: string,
  sessionId: string,
  at: number,
  comms: string | null = null
): ReadonlyArray<WatchEvent> => [
  Event.WatchOpened.make({ at, project, comms, pid: 0, sessionId, observe: false }),
  Event.OwnerTook.make({ at, fence: 1, owner }),
  Event.ConductorConfirmed.make({ at, conductor: owner.process, sessionId, print: true, ...baseline }),
  Event.WatcherStarted.make({ at, watcher: 1, awaiting: false, mode: "normal" }),
  Event.SelfMonitorStarted.make({ at, monitor: 1, watcher: 1 }),
  Event.WatchSettled.make({ at })
]

/** The content of a store: finished watches, and events of the watch that goes on. */
export interface Held {
  readonly finished: number
  readonly events: number
  /** True if the watch that goes on has comms. A look at these starts a second process. */
  readonly comms?: boolean
}

const putInto = (database: DatabaseSync) => {
  const insert = database.prepare(
    "INSERT INTO events (stream, revision, tag, version, at, data) VALUES (?, ?, ?, ?, ?, ?)"
  )
  return (stream: string, revision: number, event: WatchEvent) => {
    const { at, data, tag, version } = encodeEvent(event)
    insert.run(stream, revision, tag, version, at, data)
  }
}

/** Adds a short watch that goes on, for a word that ends it. */
export const addShort = (path: string, id: string, now: number): void => {
  const database = new DatabaseSync(path)
  begun(`/short/${id}`, id, now).forEach((event, index) => putInto(database)(id, index + 1, event))
  database.close()
}

/** Makes a store in one transaction: finished watches of eight events, then one watch of `project` that goes on. */
export const makeStore = (
  path: string,
  project: string,
  now: number,
  { comms = false, events, finished }: Held
): void => {
  const database = new DatabaseSync(path)
  database.exec(
    `PRAGMA journal_mode = WAL; PRAGMA application_id = ${Store.applicationId}; ${Store.migrations.flat().join(";")};
    PRAGMA user_version = ${Store.migrations.length}; BEGIN`
  )
  const put = putInto(database)
  const at = now - 86_400_000
  for (let n = 0; n < finished; n++) {
    const id = `done-${n.toString(16).padStart(4, "0")}`
    const all = [
      ...begun(project, id, at),
      Event.ConductorCompleted.make({ at, by: "turn" }),
      Event.OwnerLeft.make({ at, fence: 1 })
    ]
    all.forEach((event, index) => put(id, index + 1, event))
  }
  const first = begun(project, here.sessionId, at, comms ? `${project}/comms.db` : null)
  first.forEach((event, index) => put(here.id, index + 1, event))
  for (let [revision, n] = [first.length, 1]; revision < events; n++)
    for (const event of cycle(n, at)) put(here.id, ++revision, event)
  database.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
  database.close()
}
