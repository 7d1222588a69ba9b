import type { Seed } from "../Seed.ts"

const second = 1000
const minute = 60 * second

/** The deed of an agent in its assignment, and its words about it. */
export interface Deed {
  readonly kind: DeedKind
  /** Time until its end, ms of its own life. An agent that hangs has none. */
  readonly takes: number
  readonly onTerm: number | "never" | "unkillable"
  /** Processes that it starts and leaves running. */
  readonly daemons: number
  /** Time from the refusal of the service to the end that it states, ms; `undefined` where it states none. */
  readonly resetsIn: number | undefined
}

const implementing = {
  completes: 44,
  "completes, and never exits": 3,
  "commits, and is cut off": 4,
  "claims without a commit": 5,
  "claims an empty commit": 4,
  "commits, and quotes a verdict": 2,
  "is blocked": 5,
  "says nothing": 4,
  "prints garbage": 3,
  "prints megabytes, then completes": 1,
  "completes, then prints megabytes": 1,
  "repeats the form": 2,
  "completes and is blocked": 3,
  hangs: 4,
  "hits a usage limit": 5,
  "hits an outage": 4,
  "loses its login": 3,
  "leaves changes": 3,
  "leaves a conflict": 2,
  "takes a commit away": 1
} as const
const reviewing = {
  approves: 46,
  "approves, and never exits": 3,
  "approves, and notes": 12,
  rejects: 18,
  "rejects, and notes": 8,
  "rejects for what is minor": 3,
  "approves without a look": 4,
  "approves, and names issues": 3,
  "approves and rejects": 3,
  "quotes an approval": 2,
  "approves without a word": 2,
  "approves, and is cut off": 2,
  "approves, and is killed": 2,
  "says nothing": 4,
  "prints garbage": 2,
  "prints megabytes, then approves": 1,
  "repeats the form": 2,
  hangs: 3,
  "commits, and approves": 3,
  "changes files, and approves": 2,
  "hits a usage limit": 3,
  "hits an outage": 2,
  "loses its login": 2
} as const
const finishing = { finishes: 60, fails: 10, "says nothing": 5, hangs: 5, "hits a usage limit": 5 } as const

export type DeedKind = keyof typeof implementing | keyof typeof reviewing | keyof typeof finishing
export type AgentRole = "implementer" | "reviewer" | "finisher"

const weights: { readonly [R in AgentRole]: Readonly<Partial<Record<DeedKind, number>>> } = {
  implementer: implementing,
  reviewer: reviewing,
  finisher: finishing
}
const plain: { readonly [R in AgentRole]: DeedKind } = {
  implementer: "completes",
  reviewer: "approves",
  finisher: "finishes"
}

/** The deed of a healthy agent. */
export const plainDeed = (role: AgentRole): Deed => ({
  kind: plain[role],
  takes: 10 * second,
  onTerm: 0,
  daemons: 0,
  resetsIn: undefined
})

export const isPlain = ({ daemons, kind }: Deed): boolean =>
  daemons === 0 &&
  (Object.values(plain).includes(kind) || ["rejects", "rejects, and notes", "approves, and notes"].includes(kind))

export const deedOf = (seed: Seed, role: AgentRole): Deed => {
  const all = Object.entries(weights[role]) as ReadonlyArray<readonly [DeedKind, number]>
  let left = seed.between(
    1,
    all.reduce((sum, [, weight]) => sum + weight, 0)
  )
  const kind = all.find(([, weight]) => (left -= weight) <= 0)![0]
  return {
    kind,
    takes:
      kind === "hangs"
        ? Infinity
        : seed.chance(0.8)
          ? seed.between(100, 20 * second)
          : seed.between(20 * second, 2 * minute),
    onTerm: seed.chance(0.02) ? "unkillable" : seed.pick([0, 0, 200, 3000, "never"] as const),
    daemons: seed.chance(0.12) ? seed.between(1, 3) : 0,
    resetsIn: seed.pick([undefined, -minute, 30 * second, 10 * minute, 5 * 60 * minute])
  }
}
