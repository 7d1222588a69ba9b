import { evolveRun, initialRun, type Run, runCodec, type RunEvent, runFold, RunLog } from "@souffleur/plan"
import { LogUnusable, type Log } from "@souffleur/eventlog"
import { Effect } from "effect"
import type { SimMachine } from "../SimMachine.ts"
import { boast, chatter } from "./RunSentences.ts"
import { SnapshotJudge } from "../SnapshotJudge.ts"
import type { RunOracle } from "./RunOracle.ts"
import type { SimPlan } from "./SimPlan.ts"

/** The part of a world that the log of its runs is compared with. */
export interface RunLedgerWorld extends SimMachine {
  readonly branchJudge: { record(stream: string, before: Run, event: RunEvent): void }
  readonly judge: { record(stream: string, before: Run, event: RunEvent): void }
  readonly plans: ReadonlyArray<SimPlan>
  oracle(stream: string): RunOracle
}

/**
 * The log of the runs on the simulated disk. It outlives every souffleur. Each event is compared with the truth of the
 * world at that moment.
 */
export class RunLedger {
  readonly runs = new Map<string, Run>()
  readonly events: Array<{ readonly stream: string; readonly event: RunEvent }> = []
  readonly log: Log<RunEvent>
  readonly #world: RunLedgerWorld
  readonly #memory: Log<RunEvent>
  readonly #snapshots: SnapshotJudge<Run, RunEvent>

  constructor(world: RunLedgerWorld) {
    this.#world = world
    const memory = Effect.runSync(Effect.provide(Effect.service(RunLog), RunLog.layerMemory))
    this.#memory = memory
    this.#snapshots = new SnapshotJudge(runFold, memory, (what) => world.violated(what))
    this.log = {
      ...memory,
      // An append is one act: a souffleur that is abandoned has appended or has not.
      append: (stream, expected, events) =>
        Effect.suspend(() => {
          if (world.disk.full && events.length > 0)
            return Effect.fail(new LogUnusable({ reason: "full", problem: "the world says so" }))
          this.catchUp()
          const exit = Effect.runSyncExit(memory.append(stream, expected, events))
          this.catchUp()
          return exit
        })
    }
  }

  /** The run that was worked on last, as its events describe it. */
  get run(): Run {
    return [...this.runs.values()].at(-1) ?? initialRun
  }

  runOf(stream: string): Run {
    return this.runs.get(stream) ?? initialRun
  }

  /** Judges every new event in the order of the log. An append wakes the listeners, and these may append too. */
  catchUp(): void {
    for (const stream of Effect.runSync(this.#memory.streams)) {
      for (const { event } of Effect.runSync(this.#memory.read(stream, this.runOf(stream).revision)))
        this.#record(stream, event)
    }
  }

  #record(stream: string, event: RunEvent): void {
    const world = this.#world
    const before = this.runOf(stream)
    const after = evolveRun(before, event)
    this.runs.set(stream, after)
    this.events.push({ stream, event })
    const { data } = runCodec.encode(event)
    if (data.includes(chatter) || data.includes(boast)) world.violated(`an agent's words are in the log: ${event._tag}`)
    if (!world.silent) world.tell(`${after.revision} ${event._tag} ${data.slice(0, 200)}`)
    if (event._tag === "AgentAsked") world.faults.begin()
    else if (after.assignments.length < before.assignments.length) world.faults.end()
    world.plans.find(({ id }) => stream === `run/${id}`)?.witness.record(after)
    world.judge.record(stream, before, event)
    world.branchJudge.record(stream, before, event)
    world.oracle(stream).record(event)
    this.#snapshots.record(stream, after, after.assignments.length < before.assignments.length)
  }
}
