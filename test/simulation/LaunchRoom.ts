import { LaunchFailed, type LaunchOrder, type Permission, type ProcessIdentity } from "@souffleur/domain"
import { Effect, Option } from "effect"
import type { ProcessTable, SimProcess } from "./ProcessTable.ts"
import type { Timeline } from "./Timeline.ts"

interface Launch {
  readonly order: LaunchOrder
  readonly digest: string
  /** The receipt, which is `linked` once, by the first to come: the launcher, or a souffleur that cancels. */
  receipt: { readonly _tag: "Taken"; readonly process: ProcessIdentity } | { readonly _tag: "Cancelled" } | undefined
}

/** The arguments of `souffleur run`. */
export interface Solo {
  readonly kind: "agent" | "command"
  readonly sessionId: string
  readonly launch: {
    readonly launchId: string
    readonly digest: string
    readonly requested: string
    readonly effective: Permission
  }
}

/** The generation of processes that are no Conductor's, and no stranger's. */
export const souffleursOwn = -1

/** The time until a launcher links its receipt, in ms; `lost`: it ends before. */
export type LaunchPace = number | "lost"

/** The place where launchers run. It hears of each launcher that starts, and of each that becomes the agent. */
export interface LaunchPlace {
  readonly timeline: Timeline
  readonly processes: ProcessTable
  readonly tell: (what: string) => void
  readonly judge: { readonly spawned: (id: string, lookedAt: number | undefined) => void }
  readonly agentStarted: (process: SimProcess, order: LaunchOrder) => void
}

/**
 * Holds the folder of launches: files, receipts and tombstones. A launch happens at most once, because a name can be
 * linked once.
 */
export class LaunchRoom {
  readonly launches = new Map<string, Launch>()
  /** Commands that are run again, until they are forgotten. */
  readonly kept = new Map<string, LaunchOrder>()
  pace: () => LaunchPace = () => 300
  /** True while the agent's program is away, as it is being updated. */
  away = false
  /** What the newest launch lacked that provably never ran, and may run soon. */
  lacked: string | undefined
  /**
   * The answer of the terminal that souffleur was started in, whose server is gone or hangs: it opens no window.
   * `undefined`: souffleur is in none.
   */
  window: (() => "gone" | "hangs") | undefined
  readonly #world: LaunchPlace

  constructor(world: LaunchPlace) {
    this.#world = world
  }

  prepare(order: LaunchOrder): Effect.Effect<string, LaunchFailed> {
    return Effect.suspend(() => {
      const digest = JSON.stringify(order)
      const before = this.launches.get(order.id)
      if (before !== undefined && before.digest !== digest)
        return Effect.fail(new LaunchFailed({ message: "another launch was prepared with this id" }))
      if (before === undefined) this.launches.set(order.id, { order, digest, receipt: undefined })
      if (order.keep === true) this.kept.set(order.id, order)
      return Effect.succeed("d".repeat(64))
    })
  }

  /** Starts a launcher. It takes its time, and becomes the agent if the receipt's name is still free. */
  spawn(id: string, lookedAt: number | undefined, parent: number): SimProcess {
    const { processes, timeline } = this.#world
    this.#world.tell(`the launcher of ${id} starts`)
    this.#world.judge.spawned(id, lookedAt)
    const pace = this.pace()
    const process = processes.start({
      parent,
      name: "launch",
      environment: { SOUFFLEUR_LAUNCH_ID: id },
      belongsTo: souffleursOwn
    })
    if (pace === "lost") timeline.after(100, () => processes.end(process))
    else {
      timeline.after(pace, () => {
        const launch = this.launches.get(id)
        if (!processes.isAlive(process)) return
        if (launch === undefined || launch.receipt !== undefined) return processes.end(process)
        launch.receipt = { _tag: "Taken", process: process.identity }
        this.#world.agentStarted(process, launch.order)
      })
    }
    return process
  }

  /** Claims the receipt's name as a tombstone, unless it is taken. */
  close(id: string): Option.Option<ProcessIdentity> {
    const launch = this.launches.get(id)
    // A tombstone for a launch that was never prepared ends the question too.
    if (launch === undefined) {
      this.launches.set(id, {
        order: { id, command: { program: "", args: [], environment: {} }, cwd: "/", title: "" },
        digest: "",
        receipt: { _tag: "Cancelled" }
      })
      return Option.none()
    }
    launch.receipt ??= { _tag: "Cancelled" }
    return launch.receipt._tag === "Taken" ? Option.some(launch.receipt.process) : Option.none()
  }

  look(id: string): Launch["receipt"] {
    return this.launches.get(id)?.receipt
  }
}
