import type { Processes, Signal, Tag } from "@souffleur/domain"
import { startedBy } from "@souffleur/process"
import { Duration, Effect, Option } from "effect"
import { carriersOf, stillThose } from "../../packages/node/src/processes/Tags.ts"
import { namedAsOne } from "../../packages/node/src/processes/TerminalServer.ts"
import type { Gate } from "./EffectGate.ts"
import { machine, type ProcessTable, type SimProcess } from "./ProcessTable.ts"

/** The owner of the processes, which hears of each signal. */
export interface Signalled {
  readonly processes: ProcessTable
  readonly signalled: (process: SimProcess, signal: Signal, wrongs: ReadonlyArray<string>) => void
  /** Lists the violations of a signal to it, by the state of the world before it is sent. */
  readonly wrongsOf?: (process: SimProcess) => ReadonlyArray<string>
}

const carries = (process: SimProcess, environment: Tag["environment"]) => {
  for (const name in environment) if (process.environment[name] !== environment[name]) return false
  return true
}

/** The processes of the world as one souffleur sees them. The real code decides which of them a Conductor started. */
export const processes = (world: Signalled, self: SimProcess, gate: Gate): Processes["Service"] => {
  const { processes } = world
  // The real code decides, too, whose word a tag is.
  const bearers = (pids: Iterable<number>, tags: ReadonlyArray<Tag>) =>
    carriersOf(
      Array.from(pids, (pid) => ({ pid })),
      tags,
      machine.uid,
      {
        carries: (pid, environments) => environments.some((each) => carries(processes.at(pid)!, each)),
        uid: ({ pid }) => processes.at(pid)?.uid
      }
    )
  const sync = <A>(name: string, act: () => A) => gate.through(name, Effect.sync(act))
  return {
    self: self.identity,
    host: { name: machine.name, machine: machine.id, pidNamespace: machine.pidNamespace, uid: machine.uid },
    commandLine: (pid) =>
      sync("processes.commandLine", () =>
        processes.at(pid) === undefined
          ? []
          : [processes.at(pid)!.name, ...(processes.at(pid)!.print ? ["-p"] : []), ...processes.at(pid)!.says]
      ),
    find: (pid) =>
      sync("processes.find", () => {
        const found = processes.at(pid)
        return found === undefined ? Option.none() : Option.some(processes.info(found))
      }),
    // The processor time of any other process is unknown, and so never a sign.
    processorTime: ({ pid }) => Effect.sync(() => (processes.at(pid)?.lingers === true ? 1 : undefined)),
    condition: (identity) => sync("processes.condition", () => processes.condition(identity)),
    // The world tells when it is over: thousands of looks at a live process would find nothing.
    untilOver: (identity, every) =>
      Effect.andThen(
        processes.untilOver(identity, Duration.toMillis(every), self.identity.pid),
        sync("processes.condition", () => undefined)
      ),
    ancestors: Effect.sync(() => {
      const above: Array<number> = []
      for (let { parent } = self; parent > 1; parent = processes.at(parent)?.parent ?? 1) above.push(parent)
      return [...above, 1]
    }),
    lockers: () => Effect.succeed([]),
    carriers: (name) =>
      Effect.sync(() =>
        processes.all.flatMap((one) => {
          const value = one.uid === machine.uid ? one.environment[name] : undefined
          return value === undefined ? [] : [{ ...processes.info(one), value }]
        })
      ),
    tagged: (tag) =>
      sync("processes.tagged", () => {
        const found = bearers(
          processes.all.map(({ identity }) => identity.pid),
          [tag]
        )
        return [...found].map((pid) => processes.info(processes.at(pid)!))
      }),
    tree: (root, { known = [], others = [], own = [], tags = [] }) =>
      sync("processes.tree", () => {
        const table = new Map(
          processes.all.map((one) => {
            const state = one.condition === "zombie" ? "Z" : "S"
            const { pid, startTime } = one.identity
            return [
              pid,
              { pid, name: one.name, state, parent: one.parent, group: pid, processor: 0, threads: 1, startTime }
            ] as const
          })
        )
        const seen = stillThose(
          table,
          known,
          { bootId: self.identity.bootId, ours: machine.uid },
          ({ pid }) => processes.at(pid)?.uid
        )
        const marked = new Set([...bearers(table.keys(), tags), ...seen])
        const launched = bearers(
          marked,
          tags.filter(({ environment }) => !carries(self, environment))
        )
        const started = startedBy(table, {
          root,
          self: self.identity.pid,
          others: new Set(others),
          own: new Set(own),
          tagged: (pid) => marked.has(pid),
          launched: (pid) => launched.has(pid),
          terminal: ({ name }) => namedAsOne(name)
        })
        return started
          .map(({ pid }) => processes.info(processes.at(pid)!))
          .filter(({ condition }) => condition !== "zombie")
      }),
    signal: (identity, signal) =>
      Effect.suspend(() => {
        const looked = processes.find(identity)
        const wrongs = looked === undefined ? [] : (world.wrongsOf?.(looked) ?? [])
        return sync(`processes.signal ${signal}`, () => {
          const found = processes.find(identity)
          if (found !== undefined) world.signalled(found, signal, wrongs)
        })
      })
  }
}
