import type { Watch } from "@souffleur/domain"
import { isRunOver, needsPerson, type Run } from "@souffleur/plan"
import type { EndedWatch } from "../watching/FindWatch.ts"

/** How a watch or a run is looked after. */
interface Stance {
  /** It needs a person. */
  readonly needs: boolean
  /** A live souffleur looks after it. */
  readonly owned: boolean
}

/** Returns since when a watch is in its state, epoch ms; `null`: its log does not tell. */
export const watchSince = (watch: Watch | EndedWatch, { needs, owned }: Stance): number | null => {
  if (watch.phase === "Exited") return watch.lastEventAt
  const { held, idle, launchedAt, openedAt, person, recovery, standby, taken, wait } = watch
  // No event tells when its souffleur was lost.
  if (!owned) return null
  if (needs) return (person ?? wait ?? held ?? standby)?.since ?? null
  return (recovery ?? held ?? wait ?? standby ?? idle)?.since ?? taken?.at ?? (launchedAt === 0 ? openedAt : launchedAt)
}

/** Returns since when a run is in its state, epoch ms; `null`: its log does not tell. */
export const runSince = (run: Run, { needs, owned }: Stance): number | null => {
  const { assignments, held, lastEventAt, stop, wait } = run
  // It does nothing more after the event by which it stopped.
  if (isRunOver(run) || needsPerson(run)) return wait?.since ?? lastEventAt
  if (needs && !owned) return null
  const [assignment] = assignments
  if (assignment === undefined) return (stop ?? held ?? wait)?.since ?? lastEventAt
  return wait?.since ?? assignment.launch?.at ?? assignment.askedAt
}
