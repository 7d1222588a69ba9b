import type { Job } from "@souffleur/embed"
import { Option, type Terminal } from "effect"
import { initialTop, type Top } from "../src/top/Top.ts"
import { pressed } from "../src/top/TopKey.ts"

export const at = 1_772_402_400_000
const minute = 60_000

export const jobOf = (id: string, change: Partial<Job> = {}): Job => ({
  kind: "watch",
  id,
  title: null,
  labels: {},
  project: "/srv/opera",
  agent: null,
  state: "working",
  standing: "watching",
  need: null,
  since: at - 4 * minute,
  held: false,
  begun: at - 90 * minute,
  generation: 1,
  retries: 0,
  tasks: null,
  used: null,
  at,
  ...change
})

export const needing = { state: "needs you", need: { why: "it is held", next: "souffleur go opera-1" } } as const

export const topOf = (living: ReadonlyArray<Job>, ended: ReadonlyArray<Job> = []): Top => ({
  ...initialTop,
  news: { living, ended, endedCount: ended.length, moved: true, logged: { watches: [], runs: [] } }
})

export const key = (name: string, ctrl = false): Terminal.UserInput => ({
  input: Option.some(name),
  key: { name: name === "?" || name === "/" ? "" : name, ctrl, meta: false, shift: false }
})

/** Presses keys, and leaves out the wishes in between. */
export const after = (top: Top, ...names: ReadonlyArray<string>) =>
  names.reduce((before, name) => pressed(before, key(name)).top, top)
