import { AlreadyWatched, type Claimable, ClaimFailed, Claims, type Owner } from "@souffleur/domain"
import { Effect, Equal, Layer } from "effect"
import { type FakeProcesses, identityOf } from "./FakeProcesses.ts"

/** Makes an owner by its pid: of this machine, unless a host is named. */
export const ownerOf = (pid: number, host = "here"): Owner => ({
  host,
  machine: "m",
  pidNamespace: "pid:[1]",
  process: identityOf(pid)
})

const keyOf = (claimable: Claimable) => ("pid" in claimable ? claimable.pid : Object.values(claimable)[0]!)

/** The claims of a user, in memory. A claim counts while its souffleur runs, or if it is of another machine. */
export class FakeClaims {
  readonly self: Owner
  /** Owners by pid, session, comms file or project. */
  readonly held = new Map<number | string, Owner>()
  /** The reason why each claim fails; `undefined`: claims work. */
  fails: string | undefined

  readonly processes: FakeProcesses
  constructor(processes: FakeProcesses) {
    this.processes = processes
    this.self = ownerOf(processes.self.pid)
  }

  /** Returns whether an owner is provably dead: of this machine, with its process gone. */
  isDead({ host, machine, process }: Owner): boolean {
    return host === this.self.host && machine === this.self.machine && !this.processes.has(process)
  }

  /** The port. */
  readonly service = Effect.sync(() =>
    Claims.of({
      self: this.self,
      isDead: (owner) => Effect.sync(() => this.isDead(owner)),
      claim: Effect.fnUntraced({ self: this as FakeClaims }, function* (claimable: Claimable) {
        const key = keyOf(claimable)
        if (this.fails !== undefined) return yield* new ClaimFailed({ message: this.fails })
        const owner = this.held.get(key)
        if (owner !== undefined && owner.process.pid !== this.self.process.pid && !this.isDead(owner))
          return yield* new AlreadyWatched({ owner, problem: `souffleur with pid ${owner.process.pid} watches it` })
        this.held.set(key, this.self)
        return owner?.process.pid !== this.self.process.pid
      }),
      release: (claimable) =>
        Effect.sync(() => void (this.held.get(keyOf(claimable)) === this.self && this.held.delete(keyOf(claimable)))),
      forget: (owner) =>
        Effect.sync(() => {
          for (const [key, one] of this.held) if (Equal.equals(one, owner)) this.held.delete(key)
        })
    })
  )
  readonly layer = Layer.effect(Claims, this.service)
}
