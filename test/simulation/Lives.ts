import { payloadHeader } from "@souffleur/domain"
import type { Compaction } from "./SimulatedCompaction.ts"
import { asked } from "./SimulatedAgent.ts"
import { type Life } from "./Life.ts"
import type { Seed } from "./Seed.ts"
import { minute } from "./Timeline.ts"

/** Payloads of Conductors: as it should be, asking for more, older words, and unreadable ones. */
const payloads = [
  undefined,
  `${payloadHeader}\npermission_mode: acceptEdits\nresume_prompt: ${asked}\nand more`,
  `${payloadHeader}\npermission_mode: bypassPermissions\nresume_prompt: ${asked}`,
  `${payloadHeader}\npermission_mode: everything\n${asked}`,
  `${payloadHeader} permission_mode`,
  `  ${payloadHeader}\nresume_prompt: ${asked}`
]

/**
 * The temper of a world. `hot`: one recovery comes after the other, with progress between them. `mild`: it is as on a
 * bad day.
 */
export type Temper = "hot" | "mild"

const of = (fate: Life["fate"], times: number) => Array.from({ length: times }, () => fate)
/** The fates in a hot world. A hand-off is seen at a poll, minutes later: of one in thirty there are still many. */
const hot: ReadonlyArray<Life["fate"]> = [
  ...of("dies", 16),
  ...of("zombie", 4),
  ...of("turn ends", 9),
  ...of("handoff", 1)
]
const mild: ReadonlyArray<Life["fate"]> = [
  "lives",
  "dies",
  "dies",
  "zombie",
  "hangs",
  "hangs",
  "pauses",
  "pauses",
  "handoff",
  "handoff",
  "turn ends",
  "completes",
  "limited",
  "limited",
  "outage",
  "outage",
  "refused",
  "capped",
  "odd",
  "too long",
  "tool",
  "tool",
  "builds",
  "builds",
  "delegates",
  "retries",
  "asks",
  "mute",
  "clears",
  "clears",
  ...of("rests", 4)
]

/**
 * Draws the life of the Conductor of that generation, from 1. The first is to be met by a souffleur that starts beside
 * it.
 */
export const lifeOf = (seed: Seed, temper: Temper, generation: number): Life => {
  const first = generation === 1
  const rare = temper === "mild" || seed.chance(0.03)
  const soon = !rare || seed.chance(0.3)
  const fate = seed.pick(rare ? mild : hot)
  const ends =
    fate === "turn ends" ? seed.pick([undefined, undefined, "killed", "refused", "idle"] as const) : undefined
  return {
    fate,
    ends,
    at: !soon
      ? seed.between(0, 15 * minute)
      : rare || first || seed.chance(0.2)
        ? seed.between(0, 20_000)
        : seed.between(1000, 5000),
    lasts: seed.chance(0.5) ? seed.between(0, 8 * minute) : seed.between(0, 30_000),
    payload: seed.pick(payloads),
    print: seed.chance(0.3),
    worksEvery: ends !== "idle" && seed.chance(rare ? 0.7 : 0.95) ? seed.between(20_000, 300_000) : undefined,
    worksFirst: rare ? undefined : seed.between(100, 1500),
    tools: seed.chance(0.1) ? seed.between(1, 4) : 0,
    company: seed.chance(0.1),
    runs: seed.chance(0.1) ? seed.pick(["helper", "helper", "musician", "window"] as const) : undefined,
    mode: seed.chance(0.1) ? seed.pick(["plan", "asks"] as const) : undefined,
    onTerm: seed.chance(0.03) ? "unkillable" : seed.chance(0.2) ? "never" : seed.between(0, 2000),
    resetsIn: seed.chance(0.5) ? seed.between(-minute, 20 * minute) : undefined,
    answersAfter: seed.chance(0.1) ? seed.between(0, 3 * minute) : seed.between(0, 2000),
    ...(!first && seed.chance(0.01)
      ? {
          moves: {
            to: `77777777-0000-4000-8000-${String(generation).padStart(12, "0")}`,
            heldAfter: seed.pick([undefined, 500, 20 * minute])
          }
        }
      : {}),
    beatsAs: seed.chance(0.03) ? seed.pick(["nothing", "words", "tomorrow"] as const) : undefined
  }
}

/** Draws how the next session compacts: slow, silent, late, for ever, or as it should. */
export const compactionOf = (seed: Seed, temper: Temper): Compaction => ({
  after: seed.chance(temper === "mild" ? 0.7 : 0.95) ? seed.between(500, 10_000) : seed.between(500, 400_000),
  writes: seed.chance(temper === "mild" ? 0.7 : 0.9),
  ends: seed.chance(temper === "mild" ? 0.8 : 0.9),
  ...(seed.chance(0.2) ? { late: seed.between(0, 60_000) } : {}),
  ...(seed.chance(0.2) ? { summaryAfter: seed.between(0, 10_000) } : {}),
  ...(seed.chance(0.2) ? { lies: true } : {}),
  onTerm: seed.chance(0.05) ? "unkillable" : seed.chance(0.2) ? "never" : seed.between(0, 2000)
})
