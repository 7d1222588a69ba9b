import {
  Agent,
  AgentNotFound,
  Claims,
  Comms,
  CycleSettings,
  EventLog,
  Hashing,
  Hooks,
  ExportFailed,
  Launcher,
  nothingSpent,
  type Owner,
  type LaunchEnd,
  Processes,
  type ResolvedSettings,
  SessionNotFound,
  soloSnapshot,
  Settings
} from "@souffleur/domain"
import { TrustedFiles } from "@souffleur/process"
import { WorkCheck } from "@souffleur/recovery"
import { Beats, Offspring, Cursor } from "@souffleur/eventlog"
import { hash } from "node:crypto"
import { Context, DateTime, Effect, FileSystem, Option, Stream } from "effect"
import type { Gate } from "./EffectGate.ts"
import { machine, type SimProcess } from "./ProcessTable.ts"
import { capFlag } from "./CapJudge.ts"
import { tokensOfTurn } from "./LimitJudge.ts"
import { agentByWords } from "./SimAgent.ts"
import { launcher } from "./SimLauncher.ts"
import { hooks } from "./SimHooks.ts"
import { processes } from "./SimProcesses.ts"
import { boundary, summary } from "./SimulatedCompaction.ts"
import { foreign } from "./Liar.ts"
import type { StateFolder } from "./StateFolder.ts"
import type { World } from "./SimulatedWorld.ts"

/** The cost of every call to the model in this world. */
const dollarsOfTurn = 0.05

/** The header of an export of our own. */
const header = `<!-- souffleur-export v1 nonce=${"0".repeat(32)} -->\n`

const agent = (world: World, gate: Gate): Agent["Service"] => {
  const sessionFile = (sessionId: string) =>
    Effect.suspend(() => {
      const path = world.sessionFile(sessionId)
      return world.disk.files.has(path)
        ? Effect.succeed({ path, sessionId })
        : Effect.fail(new SessionNotFound({ sessionId, message: "no such file", reason: "missing" }))
    })
  // The reader compares the start time in a pid file with that of the process.
  const lied = () =>
    world.lies.pidFiles.filter(({ pid, startTime }) => world.processes.at(pid)?.identity.startTime === startTime)
  const words = agentByWords(gate)
  return {
    ...words,
    ...(Number.isFinite(world.mostTurns)
      ? { caps: [{ kind: "turns", flag: capFlag, limit: world.mostTurns }] as const }
      : {}),
    command: (order) =>
      Effect.flatMap(words.command(order), ({ args, ...rest }) => {
        if (!world.room.away) return Effect.succeed({ ...rest, args: [...world.capWords, ...args] })
        world.room.lacked = "no program"
        return Effect.fail(new AgentNotFound({ program: "claude", problem: "it is not there", missing: true }))
      }),
    holds: ({ pid, startTime }) =>
      gate.through(
        "agent.holds",
        Effect.sync(() => {
          // The file has the name of the pid, and a process that ends well removes it.
          const one = world.conductors.findLast(({ process }) => process.identity.pid === pid)
          const left = one?.process.identity.startTime === startTime && !one.turnEnded
          return left ? Option.fromUndefinedOr(one.process.session) : Option.none()
        })
      ),
    mode: (sessionId) =>
      gate.through(
        "agent.mode",
        Effect.sync(() =>
          Option.fromUndefinedOr(world.conductors.findLast((one) => one.sessionId === sessionId)?.life.mode)
        )
      ),
    sessions: gate.through(
      "agent.sessions",
      Effect.sync(() =>
        world.processes.all
          .filter((process) => process.session !== undefined && world.processes.isAlive(process))
          .map(({ identity, session, ...process }) => {
            const conductor = world.conductors.find((one) => one.process.identity === identity)
            const status: string = conductor?.status ?? "busy"
            return {
              pid: identity.pid,
              sessionId: session!,
              project: world.projectOf(session!),
              status,
              waitingFor: status === "waiting" ? "permission prompt" : undefined,
              writtenAt: world.timeline.wall - (world.timeline.monotonic - process.since)
            }
          })
          // A process has one file, and its last content is read.
          .filter(({ pid }) => lied().every((file) => file.pid !== pid))
          .concat(lied())
      )
    ),
    sessionFile: (sessionId) => gate.through("agent.sessionFile", sessionFile(sessionId)),
    exportSession: Effect.fnUntraced(function* (sessionId, out) {
      yield* gate.through(
        "agent.exportSession: begin",
        Effect.andThen(
          sessionFile(sessionId),
          Effect.sync(() => world.disk.write(`${out}.part`, header))
        )
      )
      return yield* gate.through(
        "agent.exportSession: end",
        Effect.suspend(() => {
          const text = header + world.transcriptOf(sessionId)
          world.disk.files.delete(`${out}.part`)
          if (sessionId === foreign.session) world.violated("a conversation of another project is exported")
          if (world.exportFails) return Effect.fail(new ExportFailed({ message: "the session file changed meanwhile" }))
          world.disk.write(out, text)
          return Effect.succeed({ path: out, bytes: text.length, records: 1, warnings: [] })
        })
      )
    }),
    projectOf: (sessionId) => Effect.sync(() => Option.some(world.projectOf(sessionId))),
    mark: (sessionId) =>
      Effect.map(gate.through("agent.mark", sessionFile(sessionId)), ({ path }) => ({
        path,
        device: "1",
        inode: "1",
        offset: world.disk.read(path)?.length ?? 0
      })),
    compactedSince: ({ offset, path }) =>
      gate.through(
        "agent.compactedSince",
        Effect.sync(() => {
          const written = (line: string) => (world.disk.read(path) ?? "").slice(offset).includes(line)
          return !written(boundary) ? "not yet" : written(summary) ? "summary" : "boundary"
        })
      ),
    toolResults: (sessionIds) =>
      gate.through(
        "agent.toolResults",
        Effect.sync(() => sessionIds.reduce((sum, sessionId) => sum + (world.results.get(sessionId) ?? 0), 0))
      ),
    turnEnded: ({ pid }, sessionId) =>
      gate.through(
        "agent.turnEnded",
        Effect.sync(() => {
          const one = world.conductors.findLast(
            ({ process, sessionId: its }) => process.identity.pid === pid && its === sessionId
          )
          // It left no pid file, and the last turn of the file is finished, also where another process wrote it.
          return one?.turnEnded === true && world.writerOf(sessionId)?.turnEnded === true
        })
      ),
    signs: (sessionId) =>
      gate.through(
        "agent.signs",
        Effect.sync(() =>
          Option.orElse(Option.fromUndefinedOr(world.lies.signs.get(sessionId)), () =>
            Option.map(Option.fromUndefinedOr(world.sessions.get(sessionId)), ({ asked, turn, writtenAt }) => ({
              writtenAt,
              turn,
              refused: world.writerOf(sessionId)?.wasRefused === true,
              context: {
                tokens: 10_000 + asked.length * tokensOfTurn,
                window: 200_000,
                model: "simulated",
                at: writtenAt
              }
            }))
          )
        )
      ),
    usedTools: () => Effect.succeed(true),
    handoffTaken: (sessionId, launchId) =>
      gate.through(
        "agent.handoffTaken",
        Effect.sync(() => {
          const successor = world.conductors.find(
            (one) => one.sessionId === sessionId && one.process.environment["SOUFFLEUR_LAUNCH_ID"] === launchId
          )
          return Option.map(Option.fromUndefinedOr(successor?.answeredAt), (at) => ({ at, context: undefined }))
        })
      ),
    spent: (sessionIds, since) =>
      gate.through(
        "agent.spent",
        Effect.sync(() => {
          const turns = sessionIds.flatMap((sessionId) => world.sessions.get(sessionId)?.asked ?? [])
          const count = turns.filter((at) => at >= since).length
          return { ...nothingSpent, tokens: count * tokensOfTurn, dollars: count * dollarsOfTurn, turns: count }
        })
      )
  }
}

const endOf = (world: World, launchId: string): Option.Option<LaunchEnd> => {
  const conductor = world.conductors.find((one) => one.process.environment["SOUFFLEUR_LAUNCH_ID"] === launchId)
  // What waits for a launch ends with the power, and has told nothing.
  if (conductor === undefined || conductor.isAlive || conductor.endedAt === undefined) return Option.none()
  const end =
    conductor.turnEnded && conductor.life.ends === "killed"
      ? ({ _tag: "Killed", signal: "SIGTERM" } as const)
      : ({ _tag: "Exited", code: conductor.turnEnded ? 0 : 1 } as const)
  return Option.some({ end, at: conductor.endedAt })
}

/** Builds the world as one souffleur can reach it: every effect of every port goes through its gate. */
export const ports = (
  world: World,
  self: SimProcess,
  gate: Gate,
  settings: ResolvedSettings,
  folder: StateFolder = world
) => {
  const { claims, comms: database, disk } = world
  const { beats, ledger, offspring, cursor, room } = folder
  const owner: Owner = {
    host: machine.name,
    machine: machine.id,
    pidNamespace: machine.pidNamespace,
    process: self.identity
  }
  const comms: Comms["Service"] = {
    path: database.path,
    snapshot: gate.through("comms.snapshot", database.snapshot),
    tasks: gate.through("comms.tasks", database.listed),
    payload: (query) => gate.through("comms.payload", database.payload(query)),
    replies: (query) => gate.through("comms.replies", database.replies(query)),
    setState: (state, at, lastError) =>
      gate.through(
        "comms.setState",
        Effect.tap(database.setState(state, at, lastError), () => Effect.sync(() => folder.wroteRow()))
      ),
    beat: (at) => gate.through("comms.beat", database.beat(at)),
    post: (message) => gate.through("comms.post", database.post(message))
  }
  const fs = disk.fileSystem
  // The ceiling is read again at the beginning of a cycle, and at each launch. A user, or an agent, may have changed it
  // meanwhile.
  const cycleSettings = Effect.sync(() => ({ ...settings, maxExternalPermission: world.ceilings.read() }))
  const fileSystem: FileSystem.FileSystem = {
    ...fs,
    rename: (from, to) => gate.through("fs.rename", fs.rename(from, to)),
    remove: (path, options) => gate.through("fs.remove", fs.remove(path, options))
  }
  const own = new Set<number>()
  return Context.make(EventLog, {
    ...ledger.log,
    append: (stream, expected, events) =>
      gate.through(
        "log.append",
        Effect.suspend(() => {
          const revisions = events.map((_, n) => expected + n + 1)
          // A revision is known to be its own before anybody hears of it.
          if (ledger.watch.revision === expected) for (const revision of revisions) own.add(revision)
          return ledger.log.append(stream, expected, events)
        })
      ),
    read: (stream, after) => gate.through("log.read", ledger.log.read(stream, after)),
    // A souffleur hears its own words at once, those of another process when it looks again.
    changes: (stream, after) =>
      Stream.tap(ledger.log.changes(stream, after), ({ revision }) =>
        own.has(revision) ? Effect.void : Effect.sleep(world.hearing)
      )
  }).pipe(
    Context.add(Hooks, hooks(world, gate)),
    Context.add(Beats, {
      beat: (watch, beat) =>
        gate.through(
          "beats.beat",
          Effect.suspend(() => {
            folder.heard(self, gate.disturbed)
            return beats.beat(watch, beat)
          })
        ),
      last: (watch) => gate.through("beats.last", beats.last(watch)),
      full: beats.full
    }),
    Context.add(Offspring, {
      remember: (conductor, started) => gate.through("offspring.remember", offspring.remember(conductor, started)),
      recall: (conductor) => gate.through("offspring.recall", offspring.recall(conductor))
    }),
    Context.add(Cursor, {
      position: (watch) => gate.through("cursor.position", cursor.position(watch)),
      advance: (watch, revision) => gate.through("cursor.advance", cursor.advance(watch, revision)),
      rewind: (watch, from, revision) => gate.through("cursor.rewind", cursor.rewind(watch, from, revision))
    }),
    Context.add(Claims, {
      self: owner,
      isDead: (one) =>
        gate.through(
          "claims.isDead",
          Effect.sync(() => claims.isDead(one))
        ),
      claim: (conductor) => gate.through("claims.claim", claims.claim(owner, conductor)),
      forget: () => Effect.void,
      release: (conductor) =>
        gate.through(
          "claims.release",
          Effect.sync(() => claims.release(owner, conductor))
        )
    }),
    Context.add(
      Comms,
      world.solo === undefined
        ? comms
        : Comms.solo(
            Effect.sync(() => {
              const taskCount = [...world.results.values()].reduce((sum, count) => sum + count, 0)
              return { ...soloSnapshot, taskCount, taskFingerprint: `${taskCount} ` }
            })
          )
    ),
    Context.add(CycleSettings, cycleSettings),
    Context.add(DateTime.CurrentTimeZone, DateTime.zoneMakeOffset(0)),
    Context.add(
      Processes,
      processes(
        {
          processes: world.processes,
          signalled: (process, signal, wrongs) => folder.signalled(process, signal, wrongs),
          wrongsOf: (process) => folder.wrongsOf(process, self)
        },
        self,
        gate
      )
    ),
    Context.add(Agent, agent(world, gate)),
    Context.add(WorkCheck, {
      ask: gate.through(
        "program of --until",
        Effect.suspend(() => {
          const { check } = world
          if (check === undefined) return Effect.die("a program was asked that nobody named")
          return Effect.succeed({ code: check.asked++ < check.noes ? 1 : 0, said: "tests failed" })
        })
      )
    }),
    Context.add(
      Launcher,
      launcher({ processes: world.processes, room }, self, gate, (id) => endOf(world, id))
    ),
    Context.add(FileSystem.FileSystem, fileSystem),
    Context.add(TrustedFiles, disk.trusted),
    Context.add(Hashing, (bytes) => Effect.sync(() => hash("sha256", bytes))),
    Context.add(Settings, settings)
  )
}
