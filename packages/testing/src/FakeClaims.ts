import { AlreadyWatched, type Claimable, ClaimFailed, Claims, type Owner } from "@souffleur/domain"
import { Effect, Layer } from "effect"
import { type FakeProcesses, identityOf } from "./FakeProcesses.ts"

/** Gives a souffleur by its pid: of this machine, unless a host is named. */
export const ownerOf = (pid: number, host = "here"): Owner => ({
  host,
  machine: "m",
  pidNamespace: "pid:[1]",
  process: identityOf(pid)
})

const keyOf = (one: Claimable) => ("pid" in one ? one.pid : "session" in one ? one.session : one.project)

/** The claims of a user in memory. A claim holds as long as its souffleur runs, or is of another machine. */
export class FakeClaims {
  readonly self: Owner
  /** Owners by pid, session or project. */
  readonly held = new Map<number | string, Owner>()
  /** Why no claim can be made. */
  fails: string | undefined

  readonly processes: FakeProcesses
  constructor(processes: FakeProcesses) {
    this.processes = processes
    this.self = ownerOf(processes.self.pid)
  }

  /** Whether an owner is provably dead: it is of this machine, and its process is gone. */
  isDead({ host, machine, process }: Owner): boolean {
    return host === this.self.host && machine === this.self.machine && !this.processes.has(process)
  }

  /** What the port answers. */
  readonly service = Effect.sync(() =>
    Claims.of({
      self: this.self,
      isDead: (owner) => Effect.sync(() => this.isDead(owner)),
      claim: Effect.fnUntraced({ self: this as FakeClaims }, function* (one: Claimable) {
        const key = keyOf(one)
        if (this.fails !== undefined) return yield* new ClaimFailed({ message: this.fails })
        const owner = this.held.get(key)
        if (owner !== undefined && owner.process.pid !== this.self.process.pid && !this.isDead(owner))
          return yield* new AlreadyWatched({ owner, problem: `souffleur with pid ${owner.process.pid} watches it` })
        this.held.set(key, this.self)
      }),
      release: (one) =>
        Effect.sync(() => void (this.held.get(keyOf(one)) === this.self && this.held.delete(keyOf(one))))
    })
  )
  readonly layer = Layer.effect(Claims, this.service)
}
