import { Hashing } from "@souffleur/domain"
import { type FleetEvent, Hub, ship, ShippedLog, type ShipNews, takeWords, WordTaker } from "@souffleur/fleet"
import { Context, Effect, type Exit, Queue } from "effect"
import { hash } from "node:crypto"
import { type Machine, Program } from "../SimulatedProgram.ts"

/** The log that a shipper reads, its way to the hub, and the hearer of its end. */
export interface ShipperOptions {
  readonly log: string
  readonly rows: () => ReadonlyArray<FleetEvent>
  readonly hub: Hub["Service"]
  readonly tell: (news: ShipNews) => void
  readonly take: WordTaker["Service"]["take"]
  readonly ended: (exit: Exit.Exit<unknown, unknown>) => void
}

/** The real shipper, as a process of its own. */
export class SimShipper extends Program {
  constructor(machine: Machine, { ended, hub, log, rows, take, tell }: ShipperOptions) {
    super(machine, {})
    const services = Context.make(Hub, hub).pipe(
      Context.add(WordTaker, { take }),
      Context.add(ShippedLog, {
        after: (position, maxEvents) =>
          Effect.sync(() =>
            rows()
              .filter(([at]) => at > position)
              .slice(0, maxEvents)
          )
      }),
      Context.add(Hashing, (bytes) => Effect.sync(() => hash("sha256", bytes)))
    )
    const who = { host: "build1", machine: null, takesWords: true }
    const shipping = Effect.gen(function* () {
      const waiting = yield* Queue.sliding<void>(1)
      const wordsWait = Effect.asVoid(Queue.offer(waiting, undefined))
      return yield* Effect.raceFirst(
        ship({ log, who, wordsWait, tell: (news) => Effect.sync(() => tell(news)) }),
        takeWords({ log, waiting: Queue.take(waiting), tell: () => Effect.void })
      )
    })
    this.run(shipping, services, ended)
  }
}
