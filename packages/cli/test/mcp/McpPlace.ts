import { CommsErrand, CommsSchema } from "@souffleur/comms"
import { Event, EventLog, type WatchEvent } from "@souffleur/domain"
import { Cursor, Sqlite } from "@souffleur/eventlog"
import { HostServices, SqliteClient } from "@souffleur/node"
import { loadSettings } from "@souffleur/process"
import { Effect, FileSystem, Layer } from "effect"
import { agentKind } from "../../src/agent/Kind.ts"
import { type CommandLine, layerStore } from "@souffleur/embed/internal"
import { surroundingsIn, installedIn } from "../Surroundings.ts"

export const services = Layer.provideMerge(
  CommsErrand.layerHere,
  Layer.provideMerge(SqliteClient.layerSqlite, HostServices.layer)
)

const at = 1000
/** As a watch without comms measures it: no results of tools, no commit. */
const baseline = { taskCount: 0, taskFingerprint: "0 ", conductorState: "working", lastMessageId: 0 }
/** A process that is there no more: no pid is as great. */
export const gone = { pid: 4_190_000, startTime: 1, bootId: "boot" }
const owner = { host: "here", machine: "m", pidNamespace: "pid:[1]", process: gone }

/** Returns the events of a watch of generation 1 that is under way. */
export const watching = (change: {
  readonly project: string
  readonly comms: string | null
  readonly conductor?: typeof gone
}) => [
  Event.WatchOpened.make({ at, project: change.project, comms: change.comms, pid: 7, sessionId: "s1", observe: false }),
  Event.OwnerTook.make({ at, fence: 1, owner }),
  Event.ConductorConfirmed.make({
    at,
    conductor: change.conductor ?? gone,
    sessionId: "s1",
    print: true,
    agent: "claude",
    ...baseline
  }),
  Event.WatcherStarted.make({ at, watcher: 1, awaiting: false, mode: "normal" }),
  Event.SelfMonitorStarted.make({ at, monitor: 1, watcher: 1 }),
  Event.WatchSettled.make({ at })
]
export const handedOn = Event.HandoffRequested.make({
  at,
  sessionId: "s1",
  request: "r",
  digest: "d",
  taskCount: 0,
  taskFingerprint: "",
  retries: 1
})
export const recovering = Event.RecoveryStarted.make({ at, cycle: 1, purpose: "relaunch", trigger: "handoff" })
export const relaunched = Event.ConductorRelaunched.make({
  at,
  cycle: 1,
  generation: 2,
  provider: "claude_export",
  launchId: "w-g2-c1-6-launch-1",
  conductor: gone,
  sessionId: "s2",
  awaiting: false,
  print: true,
  exportPath: null,
  ...baseline
})

/** A project and a state folder of a test's own, with comms or without. */
export const place = Effect.fnUntraced(function* (options: { readonly comms: boolean } = { comms: true }) {
  const fs = yield* FileSystem.FileSystem
  const home = yield* fs.realPath(yield* fs.makeTempDirectoryScoped({ prefix: "souffleur-mcp-" }))
  const [project, stateDir] = [`${home}/opera`, `${home}/state`]
  const comms = `${project}/comms.db`
  yield* fs.makeDirectory(project)
  if (options.comms) yield* CommsSchema.init(comms)
  const base = { HOME: home, SOUFFLEUR_STATE_DIR: stateDir }
  const settings = yield* loadSettings({ agent: agentKind, projectDir: project, environment: base, flags: {} })
  const inStore = Effect.provide(layerStore(settings))
  return {
    project,
    stateDir,
    /** Writes this text as the session file of this session. */
    session: (session: string, text: string) =>
      Effect.andThen(
        fs.makeDirectory(`${home}/.claude/projects/opera`, { recursive: true }),
        fs.writeFileString(`${home}/.claude/projects/opera/${session}.jsonl`, text)
      ),
    comms,
    /** As an agent of this session sees it. `self` runs souffleur. */
    as: (
      session: string,
      more: Readonly<Record<string, string>> = {},
      self: CommandLine = [process.execPath],
      columns?: number
    ) =>
      installedIn(
        surroundingsIn(
          home,
          { ...base, CLAUDE_CODE_SESSION_ID: session, CLAUDE_PROJECT_DIR: project, ...more },
          { self, columns }
        )
      ),
    /** A watch with these events, under this name. */
    watch: (id: string, events: ReadonlyArray<WatchEvent>) =>
      EventLog.use((log) =>
        Effect.gen(function* () {
          const { length } = yield* log.read(id, 0)
          yield* log.append(id, length, events)
        })
      ).pipe(inStore),
    /** Comms was told the events of a watch up to this revision. */
    told: (id: string, revision: number) => Cursor.use(({ advance }) => advance(id, revision)).pipe(inStore),
    events: (id: string) =>
      EventLog.use((log) => log.read(id, 0)).pipe(
        inStore,
        Effect.map((all) => all.map(({ event }) => event))
      ),
    /** Another program's connection to comms. */
    commsDb: Sqlite.use((sqlite) => sqlite.openForeign(comms))
  }
})
