import { assert } from "@effect/vitest"
import type { ResolvedSettings, WatchEvent } from "@souffleur/domain"
import { type Conductor } from "../simulation/SimulatedAgent.ts"
import { type Life, steady } from "../simulation/Life.ts"
import { Incarnation, type IncarnationOptions } from "../simulation/Incarnation.ts"
import { adoptBy, releaseBy, retryBy } from "../simulation/Sentences.ts"
import { World } from "../simulation/SimulatedWorld.ts"

export const seconds = (count: number): number => count * 1000
export const minutes = (count: number): number => count * 60_000

/** One named world for a scenario: nothing in it happens by chance. */
export class Stage {
  readonly world = new World(1, false)
  souffleurs: Array<Incarnation> = []

  /**
   * Takes the lives of the Conductors, by generation. After the last life, each Conductor is steady. The first has run
   * for two seconds at the start.
   */
  constructor(...lives: ReadonlyArray<Partial<Life>>) {
    this.world.lives = (generation) => ({ ...steady, worksEvery: undefined, ...lives[generation - 1] })
    this.world.hearing = 0
    this.world.startConductor()
    this.world.run(seconds(2))
  }

  get watch() {
    return this.world.ledger.watch
  }

  /** Starts a souffleur, on the default settings where none are named. */
  souffleur(options: IncarnationOptions & { readonly settings?: Partial<ResolvedSettings> } = {}): Incarnation {
    const made = new Incarnation(this.world, options)
    this.souffleurs.push(made)
    return made
  }

  pass(millis: number): this {
    this.world.run(this.world.timeline.monotonic + millis)
    return this
  }

  /** Moves to the next event with this tag. Returns the time that it took, ms. */
  until(tag: WatchEvent["_tag"], within = minutes(30)): number {
    const { ledger, timeline } = this.world
    const [before, start] = [ledger.count(tag), timeline.monotonic]
    this.world.run(start + within, () => ledger.count(tag) > before)
    if (ledger.count(tag) === before) assert.fail(`no ${tag} within ${within} ms:\n${this.world.story.join("\n")}`)
    return timeline.monotonic - start
  }

  release(): void {
    releaseBy(this.world)
  }

  retry(): void {
    retryBy(this.world)
  }

  adopt(conductor: Conductor): void {
    adoptBy(this.world, conductor)
  }

  /** Reads the command line of each launch, in order. */
  get launches(): ReadonlyArray<ReadonlyArray<string>> {
    return [...this.world.room.launches.values()].map(({ order }) => order.command.args)
  }

  tags(): ReadonlyArray<string> {
    return this.world.ledger.events.map(({ _tag }) => _tag)
  }

  /** Checks the invariants: the order, one live Conductor, no signal to the healthy or to strangers, … */
  close(): void {
    assert.deepStrictEqual(this.world.violations, [], this.world.story.join("\n"))
  }
}
