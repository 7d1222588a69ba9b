import { isOver, needsPerson, readState, type Run, stateJson, type StateJson, stateText } from "@souffleur/plan"
import { Result } from "effect"
import type { RunWorld } from "./RunWorld.ts"

/**
 * Looks at the state file and its backup: each is whole, and what the log said at some moment, never an older one after
 * a newer.
 */
export class StateWitness {
  readonly #world: RunWorld
  /** Texts of the state as the log had it, by run and revision; the newest last. */
  readonly #texts = new Map<string, number>()
  #newest = 0
  #count = 0
  /** Somebody else wrote there, and nobody has mended it yet. */
  spoiled: string | undefined = undefined

  readonly #statePath: string
  /** Somebody took it away. */
  #taken = false

  constructor(world: RunWorld, statePath: string) {
    this.#world = world
    this.#statePath = statePath
  }

  /** Somebody else writes there, or takes the file away. */
  spoil(text: string | undefined): void {
    this.#taken = text === undefined
    const { disk } = this.#world
    if (text === undefined) disk.files.delete(this.#statePath)
    else disk.write(this.#statePath, text)
    this.spoiled = text
  }

  /** Somebody else's file is there, which nobody may write over. */
  get isForeign(): boolean {
    return this.spoiled !== undefined && Result.isFailure(readState(this.spoiled)) && this.spoiled.endsWith("}")
  }

  /** Its owner moves it away. */
  yield(): void {
    if (this.isForeign) this.spoil(undefined)
  }

  /** The log says this now. */
  record(run: Run): void {
    this.#texts.set(stateText(run), ++this.#count)
  }

  /** Souffleur put something under a name; `blind`: it was stopped, maybe after its last look at what is there. */
  look(blind = false): void {
    // Who was stopped in the midst of writing goes on with the draft that its successor has used; no such successor is
    // promised.
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

  /** A conductor has left it at its own word: the file says what the log says. */
  idle(run: Run): void {
    if (this.#world.zombies) return
    if (!isOver(run) && !needsPerson(run)) this.#world.violated("it was left, and nobody is needed")
    // The file may be what it could not write.
    if (run.paused?.cause === "failed") return
    const text = this.#world.disk.read(this.#statePath)
    const found = text === undefined ? undefined : Result.getOrUndefined(readState(text))
    // That it was left is in the log after the file was written.
    const said = (json: StateJson) => JSON.stringify({ ...json, updated_at: "" })
    if (found === undefined || said(found) !== said(stateJson(run)))
      this.#world.violated("the state file is not what the log says, and it was left so")
  }
}
