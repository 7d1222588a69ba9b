import { type AgentSession, Hooks, Processes, type ProcessInfo } from "@souffleur/domain"
import { layerPartialAgent } from "@souffleur/testing"
import { Effect, Layer, Option } from "effect"

/** An agent that runs, until the test says otherwise. */
export const process = (pid: number, more: Partial<ProcessInfo> = {}): ProcessInfo => ({
  identity: { pid, startTime: pid * 100, bootId: "boot" },
  parent: 1,
  uid: 1000,
  name: "claude",
  condition: "running",
  ...more
})

/** Makes the pid file in which the agent of that process describes itself. */
export const pidFile = (pid: number, sessionId: string): AgentSession => ({
  pid,
  sessionId,
  project: "/p",
  status: "idle",
  waitingFor: undefined,
  writtenAt: 1
})

/** A machine on which these processes run, with these pid files, and hooks that have told that. */
export const host = (what: {
  readonly running: ReadonlyArray<ProcessInfo>
  readonly files: ReadonlyArray<AgentSession>
  readonly hooks: Partial<Hooks["Service"]>
}) =>
  Layer.mergeAll(
    Layer.mock(Processes)({
      self: { pid: 1, startTime: 1, bootId: "boot" },
      host: { name: "host", machine: "m", pidNamespace: "pid:[1]", uid: 1000 },
      find: (pid) => Effect.succeed(Option.fromUndefinedOr(what.running.find(({ identity }) => identity.pid === pid)))
    }),
    layerPartialAgent({ name: "claude", inPrintMode: () => false, sessions: Effect.succeed(what.files) }),
    Layer.mock(Hooks)(what.hooks)
  )
