import { AlreadyWatched, type Claimable, type Owner, type ProcessIdentity } from "@souffleur/domain"
import { Effect } from "effect"
import type { ProcessTable } from "./ProcessTable.ts"

const same = (a: ProcessIdentity, b: ProcessIdentity) =>
  a.pid === b.pid && a.startTime === b.startTime && a.bootId === b.bootId

/** Holds the claims of souffleurs on Conductors, outside every state folder. */
export class ClaimRoom {
  readonly #claims = new Map<string, Owner>()
  readonly #processes: ProcessTable

  constructor(processes: ProcessTable) {
    this.#processes = processes
  }

  isDead(owner: Owner): boolean {
    const condition = this.#processes.condition(owner.process)
    return condition === "gone" || condition === "zombie"
  }

  /** The live souffleur that has claimed the Conductor. */
  holder(conductor: Claimable): ProcessIdentity | undefined {
    const owner = this.#claims.get(JSON.stringify(conductor))
    return owner === undefined || this.isDead(owner) ? undefined : owner.process
  }

  claim(self: Owner, conductor: Claimable): Effect.Effect<boolean, AlreadyWatched> {
    return Effect.suspend(() => {
      const key = JSON.stringify(conductor)
      const before = this.#claims.get(key)
      if (before !== undefined && !same(before.process, self.process) && !this.isDead(before)) {
        return Effect.fail(new AlreadyWatched({ owner: before, problem: "that souffleur is alive" }))
      }
      this.#claims.set(key, self)
      return Effect.succeed(before === undefined || !same(before.process, self.process))
    })
  }

  release(self: Owner, conductor: Claimable): void {
    const key = JSON.stringify(conductor)
    const before = this.#claims.get(key)
    if (before !== undefined && same(before.process, self.process)) this.#claims.delete(key)
  }
}
