import type { SimProcess } from "./ProcessTable.ts"
import type { Timeline } from "./Timeline.ts"

/** Measures for how long a souffleur that nothing disturbs leaves something undone. */
export class Neglect {
  readonly #timeline: Timeline
  #last: { readonly by: SimProcess; readonly disturbed: number; readonly since: number } | undefined

  constructor(timeline: Timeline) {
    this.#timeline = timeline
  }

  /** Takes a look at a souffleur, and returns the ms for which it has left the thing undone. */
  look(isUndone: boolean, by: SimProcess, disturbed: number): number {
    const { monotonic, starved } = this.#timeline
    const sum = disturbed + starved
    if (!isUndone) this.#last = undefined
    else if (this.#last?.by !== by || this.#last.disturbed !== sum)
      this.#last = { by, disturbed: sum, since: monotonic }
    return monotonic - (this.#last?.since ?? monotonic)
  }
}
