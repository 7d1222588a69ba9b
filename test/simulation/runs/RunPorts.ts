import { hash } from "node:crypto"
import { GatePort, RunLog } from "@souffleur/plan"
import {
  Agent,
  Claims,
  Comms,
  CommsLink,
  CommsUnavailable,
  CycleSettings,
  Launcher,
  type Owner,
  Processes,
  type ResolvedSettings,
  isSameProcess,
  Settings,
  Hashing,
  nothingSpent
} from "@souffleur/domain"
import { NoticeChannels, TrustedFiles } from "@souffleur/process"
import { Beats, Cursor } from "@souffleur/eventlog"
import { Context, Effect, FileSystem, Option, Scope, Stream } from "effect"
import { ChildProcessSpawner } from "effect/process"
import type { Gate } from "../EffectGate.ts"
import { machine, type SimProcess } from "../ProcessTable.ts"
import type { Program } from "../SimulatedProgram.ts"
import { launcher } from "../SimLauncher.ts"
import { agentByWords } from "../SimAgent.ts"
import { processes } from "../SimProcesses.ts"
import { programs } from "./RunPrograms.ts"
import { outputOf } from "./RunAgent.ts"
import type { RunWorld } from "./RunWorld.ts"

const unused = () => Effect.die("not simulated")

const agent = (world: RunWorld, gate: Gate): Agent["Service"] => ({
  ...agentByWords(gate),
  mode: () => Effect.succeedNone,
  ...(world.chooses
    ? {
        sessionOf: ({ process }) =>
          gate.through(
            "agent.sessionOf",
            Effect.sync(() => {
              const one = world.agents.find(({ process: { identity } }) => isSameProcess(identity, process))
              return one?.tells === true ? Option.some(one.sessionId) : Option.none()
            })
          )
      }
    : {}),
  sessions: gate.through(
    "agent.sessions",
    Effect.sync(() =>
      world.processes.all
        .filter((process) => process.session !== undefined && world.processes.isAlive(process))
        .map(({ identity, session }) => {
          const { finishedAt, hangsSince } = world.agents.find(({ process }) => process.identity === identity) ?? {}
          return {
            pid: identity.pid,
            sessionId: session!,
            project: world.project,
            status: finishedAt === undefined ? "busy" : "idle",
            waitingFor: undefined,
            writtenAt: hangsSince ?? world.timeline.wall
          }
        })
    )
  ),
  signs: (sessionId) =>
    gate.through(
      "agent.signs",
      Effect.sync(() =>
        Option.map(Option.fromUndefinedOr(sessionId === "" ? undefined : world.turnOf(sessionId)), (turn) => ({
          // What works writes.
          writtenAt: world.works(sessionId) ? world.timeline.wall : turn.at,
          turn,
          context: undefined
        }))
      )
    ),
  usedTools: (sessionId) =>
    gate.through(
      "agent.usedTools",
      Effect.sync(
        () => world.agents.findLast((one) => one.sessionId === sessionId)?.deed.kind !== "approves without a look"
      )
    ),
  sessionFile: (sessionId) => Effect.succeed({ path: `/sessions/${sessionId}.jsonl`, sessionId }),
  projectOf: unused,
  mark: unused,
  compactedSince: unused,
  // Each of its processes has used a tool.
  toolResults: ([sessionId]) =>
    gate.through(
      "agent.usedTools",
      Effect.sync(() => world.agents.filter((one) => one.sessionId === sessionId).length)
    ),
  turnEnded: unused,
  handoffTaken: unused,
  spent: (sessions) =>
    gate.through(
      "agent.spent",
      Effect.sync(() => ({ ...nothingSpent, tokens: 1000 * sessions.length }))
    ),
  exportSession: unused
})

/** The comms of the project as the conductor itself writes it. */
const link = ({ comms }: RunWorld, gate: Gate): CommsLink["Service"] => {
  const failed = (reason: CommsUnavailable["reason"]) =>
    Effect.fail(new CommsUnavailable({ path: comms.path, reason, problem: "the world says so" }))
  const write = (name: string, act: () => void) =>
    gate.through(
      name,
      Effect.suspend(() => {
        if (comms.trouble !== undefined) return failed(comms.trouble)
        act()
        return comms.lies ? failed("failed") : Effect.void
      })
    )
  return {
    path: comms.path,
    beat: () => write("comms.beat", () => void comms.write({})),
    setState: (state) => write("comms.setState", () => void comms.write({ state })),
    setTask: ({ id, state }) => write("comms.setTask", () => void comms.tasks.set(id, state)),
    post: unused,
    read: unused,
    register: unused
  }
}

/** The disk as one souffleur writes to it. A file that is not written in one act may be half there. */
const files = ({ disk, ledger, plans }: RunWorld, gate: Gate): FileSystem.FileSystem => {
  const fs = disk.fileSystem
  return {
    ...fs,
    readFileString: (path, encoding) => gate.through("fs.read", fs.readFileString(path, encoding)),
    open: (path, options) =>
      Effect.map(
        Effect.flatMap(Effect.scope, (scope) => gate.through("fs.open", Scope.provide(fs.open(path, options), scope))),
        (file) => ({
          ...file,
          writeAll: (bytes: Uint8Array) => {
            const half = bytes.length >> 1
            return Effect.andThen(
              gate.through("fs.write", file.writeAll(bytes.subarray(0, half))),
              gate.through("fs.write", file.writeAll(bytes.subarray(half)))
            )
          },
          sync: gate.through("fs.sync", file.sync)
        })
      ),
    remove: (path, options) => gate.through("fs.remove", fs.remove(path, options)),
    rename: (from, to) =>
      gate.through(
        "fs.rename",
        Effect.tap(fs.rename(from, to), () =>
          Effect.sync(() => {
            // A fiber that hears of an append may come before the end of that.
            ledger.catchUp()
            plans.find(({ statePath }) => to.startsWith(statePath))?.witness.look(gate.disturbed > 0)
          })
        )
      )
  }
}

const trusted = ({ disk }: RunWorld, gate: Gate) =>
  TrustedFiles.of({
    ...disk.trusted,
    open: (path, trust) =>
      Effect.flatMap(Effect.scope, (scope) =>
        gate.through("fs.read", Scope.provide(disk.trusted.open(path, trust), scope))
      )
  })

/** The world as one conducting souffleur can reach it. Every effect of every port goes through its gate. */
export const runPorts = (
  world: RunWorld,
  program: Program,
  self: SimProcess,
  gate: Gate,
  settings: ResolvedSettings
) => {
  const { beats, comms, claims, ledger, cursor, repository } = world
  const owner: Owner = {
    host: machine.name,
    machine: machine.id,
    pidNamespace: machine.pidNamespace,
    process: self.identity
  }
  const launches = launcher(world, self, gate, (id) =>
    Option.map(Option.fromUndefinedOr(world.agents.find(({ launchId }) => launchId === id)?.code), (code) => ({
      end: { _tag: "Exited" as const, code },
      at: 0
    }))
  )
  const unwatched = Effect.die("no snapshot is needed")
  const desk = {
    repository,
    judge: world.branchJudge,
    gitFails: () => world.gitAsked(),
    folder: (path: string, isThere: boolean) =>
      isThere ? world.disk.write(path, "") : void world.disk.files.delete(path)
  }
  const own = new Set<string>()
  return Context.make(RunLog, {
    ...ledger.log,
    append: (stream, expected, events) =>
      gate.through(
        "log.append",
        Effect.suspend(() => {
          // The event is known as its own before any listener gets it.
          const { revision } = ledger.runOf(stream)
          if (revision === expected) for (const [at] of events.entries()) own.add(`${stream}#${revision + at + 1}`)
          return ledger.log.append(stream, expected, events)
        })
      ),
    read: (stream, after) => gate.through("log.read", ledger.log.read(stream, after)),
    // Existing events are read and its own come at once. Those of another process come when it looks again.
    changes: (stream, after) =>
      Stream.unwrap(
        Effect.sync(() => {
          const there = ledger.runOf(stream).revision
          return Stream.tap(ledger.log.changes(stream, after), ({ revision }) =>
            revision <= there || own.has(`${stream}#${revision}`) ? Effect.void : Effect.sleep(1000)
          )
        })
      )
  }).pipe(
    Context.add(Beats, {
      beat: (watch, beat) =>
        gate.through(
          "beats.beat",
          Effect.suspend(() => {
            world.heard(program)
            return beats.beat(watch, beat)
          })
        ),
      last: (watch) => gate.through("beats.last", beats.last(watch)),
      full: beats.full
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
          Effect.sync(
            () => claims.isDead(one) || (world.zombies && world.processes.condition(one.process) === "stopped")
          )
        ),
      claim: () => Effect.succeed(true),
      forget: () => Effect.void,
      release: () => Effect.void
    }),
    Context.add(Comms, {
      path: comms.path,
      snapshot: unwatched,
      tasks: unwatched,
      payload: () => unwatched,
      replies: () => unwatched,
      setState: () => unwatched,
      beat: () => unwatched,
      post: (message) => gate.through("comms.post", comms.post(message))
    }),
    Context.add(CommsLink, link(world, gate)),
    Context.add(
      Processes,
      processes(
        { processes: world.processes, signalled: (process, signal) => world.signalled(process, signal, self) },
        self,
        gate
      )
    ),
    Context.add(NoticeChannels, [
      {
        name: "a person",
        words: true,
        send: ({ revision, subject }) =>
          gate.through(
            "notice",
            Effect.sync(() => void world.notices.push(`${subject["run"]} ${revision}`))
          )
      }
    ]),
    Context.add(GatePort, {
      judge: ({ ref }) =>
        gate.through(
          "gate.judge",
          Effect.as(
            Effect.sleep(3000),
            world.refuses(`run/${ref.id}`) ? { program: "judge", code: 1, said: "it is red" } : null
          )
        ),
      setUp: () => Effect.succeed(null),
      end: () => Effect.void
    }),
    // A digest that waits for a real thread would never end in a simulated world.
    Context.add(Hashing, (bytes) => Effect.sync(() => hash("sha256", bytes))),
    Context.add(Agent, agent(world, gate)),
    Context.add(Launcher, {
      ...launches,
      prepare: (order) =>
        Effect.tap(launches.prepare(order), () => Effect.sync(() => void world.prepared.set(order.id, program))),
      outputPath: outputOf
    }),
    Context.add(FileSystem.FileSystem, files(world, gate)),
    Context.add(TrustedFiles, trusted(world, gate)),
    Context.add(ChildProcessSpawner.ChildProcessSpawner, programs(desk, gate)),
    Context.add(
      CycleSettings,
      Effect.sync(() => ({ ...settings, maxExternalPermission: world.ceilings.read() }))
    ),
    Context.add(Settings, settings)
  )
}
