import { isRunOver, needsPerson, readState, type Run, stateJson, type StateJson, stateText } from "@souffleur/plan"
import { Result } from "effect"
import type { SimMachine } from "../SimMachine.ts"

/** The part of a world that a state file is looked at in. */
export interface WitnessedWorld extends SimMachine {
  readonly zombies: boolean
}

/**
 * Looks at the state file and its backup. Both are whole. The file is a state that the log had at some moment. An older
 * state never follows a newer.
 */
export class StateWitness {
  readonly #world: WitnessedWorld
  /** Texts of the state as the log had it, each with its place in the order of the log. */
  readonly #texts = new Map<string, number>()
  #newest = 0
  #count = 0
  /** The text that a stranger wrote there, until it is mended. */
  spoiled: string | undefined = undefined

  readonly #statePath: string
  /** True if a stranger took the file away. */
  #taken = false

  constructor(world: WitnessedWorld, statePath: string) {
    this.#world = world
    this.#statePath = statePath
  }

  /** Writes as a stranger, or takes the file away. */
  spoil(text: string | undefined): void {
    this.#taken = text === undefined
    const { disk } = this.#world
    if (text === undefined) disk.files.delete(this.#statePath)
    else disk.write(this.#statePath, text)
    this.spoiled = text
  }

  /** True if a foreign file is there. Souffleur may not write over it. */
  get isForeign(): boolean {
    return this.spoiled !== undefined && Result.isFailure(readState(this.spoiled)) && this.spoiled.endsWith("}")
  }

  /** Moves a foreign file away, as its owner does. */
  yield(): void {
    if (this.isForeign) this.spoil(undefined)
  }

  /** Records the state that the log has now. */
  record(run: Run): void {
    this.#texts.set(stateText(run), ++this.#count)
  }

  /** Looks after souffleur put a file under a name. `blind`: it was stopped, maybe after its last look at the file. */
  look(blind = false): void {
    // A souffleur that was stopped while it wrote goes on with its draft. Its successor has used the same draft.
    // Souffleur makes no promise for such a pair.
    if (this.#world.zombies) return
    const { disk } = this.#world
    const [text, backup] = [disk.read(this.#statePath), disk.read(`${this.#statePath}.backup`)]
    if (backup !== undefined && Result.isFailure(readState(backup)))
      this.#world.violated("the backup of the state file is not whole")
    if (text === this.spoiled) return
    if (this.isForeign && !blind) this.#world.violated("somebody else's file was written over")
    this.spoiled = undefined
    if (text === undefined)
      return void (this.#newest > 0 && !this.#taken && this.#world.violated("the state file is gone"))
    this.#taken = false
    if (Result.isFailure(readState(text))) return this.#world.violated("the state file is not whole")
    const number = this.#texts.get(text)
    if (number === undefined) return this.#world.violated("the state file is not what the log said at any moment")
    if (number < this.#newest) this.#world.violated("an older state was written over a newer")
    this.#newest = Math.max(this.#newest, number)
  }

  /** Checks the file after a conductor left the run by its own decision. The file says what the log says. */
  idle(run: Run): void {
    if (this.#world.zombies) return
    if (!isRunOver(run) && !needsPerson(run) && run.stop === null)
      this.#world.violated("it was left, and nobody is needed")
    // A run with this reason may have failed to write this file.
    if (run.paused?.reason === "failed") return
    const text = this.#world.disk.read(this.#statePath)
    const found = text === undefined ? undefined : Result.getOrUndefined(readState(text))
    // The log records the leave after the file was written, so `updated_at` may differ.
    const said = (json: StateJson) => JSON.stringify({ ...json, updated_at: "" })
    if (found === undefined || said(found) !== said(stateJson(run)))
      this.#world.violated("the state file is not what the log says, and it was left so")
  }
}
