import { type EventLog, evolve, initial, type LaunchOrder, type Signal, type Watch } from "@souffleur/domain"
import { Beats, Offspring, Cursor } from "@souffleur/eventlog"
import { Effect } from "effect"
import { asked, secret } from "./SimulatedAgent.ts"
import { LaunchRoom } from "./LaunchRoom.ts"
import type { SimProcess } from "./ProcessTable.ts"
import { SimLog } from "./SimLog.ts"
import type { World } from "./SimulatedWorld.ts"
import type { StateFolder } from "./StateFolder.ts"

/**
 * Another state folder of the same user, whose souffleur was asked to watch the same Conductor. Only the claim keeps
 * the two apart.
 */
export class OtherFolder implements StateFolder {
  readonly id = "other-0002"
  readonly beats: Beats["Service"]
  readonly offspring: Offspring["Service"]
  readonly cursor: Cursor["Service"]
  readonly room: LaunchRoom
  readonly ledger: { watch: Watch; readonly log: EventLog["Service"] }
  readonly #world: World
  /** The start of each launcher, monotonic. */
  readonly #spawned = new Map<string, number>()

  constructor(world: World) {
    this.#world = world
    const log = new SimLog(this.id, (event) => {
      const text = JSON.stringify(event)
      if (text.includes(secret) || text.includes(asked))
        world.violated("the conversation is in the log of another state folder")
      world.tell(`(other folder) ${event._tag}`)
      this.ledger.watch = evolve(this.ledger.watch, event)
    })
    this.ledger = { watch: initial, log: log.service }
    this.beats = Effect.runSync(Effect.provide(Effect.service(Beats), Beats.layerMemory))
    this.offspring = Effect.runSync(Effect.provide(Effect.service(Offspring), Offspring.layerMemory))
    this.cursor = Effect.runSync(Effect.provide(Effect.service(Cursor), Cursor.layerMemory))
    this.room = new LaunchRoom({
      timeline: world.timeline,
      processes: world.processes,
      tell: (what) => world.tell(what),
      judge: { spawned: (id) => void this.#spawned.set(id, world.timeline.monotonic) },
      agentStarted: (process: SimProcess, order: LaunchOrder) => {
        // Its souffleur could see a Conductor started by hand only in a session that it knows. The Conductor must also
        // be there before the launcher was on its way.
        const unseen = [...world.byHand].filter(
          ({ process, sessionId }) =>
            !this.ledger.watch.sessions.includes(sessionId) ||
            process.since >= (this.#spawned.get(order.id) ?? Infinity)
        )
        if (world.living.some((one) => !unseen.some(({ process }) => process === one)))
          world.violated("two live Conductors, one of another state folder")
        world.agentStarted(process, order, { started: () => undefined })
      }
    })
  }

  readonly heard = (): void => undefined
  readonly wroteRow = (): void => void (this.#world.comms.isForeign = true)

  wrongsOf(process: SimProcess, self: SimProcess): ReadonlyArray<string> {
    return this.#world.signalJudge.wrongs(process, self, this.ledger.watch)
  }

  signalled(process: SimProcess, signal: Signal, wrongs: ReadonlyArray<string>): void {
    this.#world.signalJudge.sent(process, signal, wrongs)
  }
}
