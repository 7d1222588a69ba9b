import { Schema, Struct } from "effect"
import type { Brief, FoldName, Snapshot } from "./Snapshots.ts"

/** How one kind of aggregate is folded, and how its state is kept. `Shown`: the fields of its brief. */
export interface Fold<State extends { readonly revision: number }, Event, Shown extends keyof State = keyof State> {
  readonly name: FoldName
  readonly initial: State
  readonly evolve: (state: State, event: Event) => State
  /** Holds each state, field by field. Every value of it is JSON, or `undefined` at the top. */
  readonly schema: Schema.Schema<State> & Pick<Schema.Struct<Schema.Struct.Fields>, "fields">
  readonly isEnded: (state: State) => boolean
  /** The number of events that are worth a write of snapshots, though no aggregate has ended. */
  readonly keepEvery: number
  /** The revisions between two states that are kept along a long stream. Absent: none is. */
  readonly milestoneEvery?: number
  /** The words that an aggregate is found by. */
  readonly keysOf: (state: State) => ReadonlyArray<string>
  /** The fields that a list shows of an aggregate that has ended. They are kept beside its state. */
  readonly brief: ReadonlyArray<Shown>
}

type KeptState = Pick<Snapshot, "state" | "revision">

/** The two directions between a state and its JSON. */
export interface StateCodec<State> {
  /** Keeps what differs from the initial state. Returns an empty text for a state that would come back as another. */
  readonly encode: (state: State) => string
  /** Returns `undefined` at any doubt: no JSON, no state by the schema, or a state of another revision. */
  readonly decode: (kept: KeptState) => State | undefined
}

/** Checks a value by its schema. Neighbours in a list have many equal values, and an equal one is checked once. */
const checkOf = (field: Schema.Constraint): ((value: unknown) => boolean) => {
  const isSound = Schema.is(field)
  let sound: unknown = checkOf
  return (value) => {
    if (value === sound) return true
    if (!isSound(value)) return false
    sound = value
    return true
  }
}

/** Makes the codec of a fold's state. */
export const stateCodec = <State extends { readonly revision: number }>({
  initial,
  schema
}: {
  readonly initial: State
  readonly schema: Pick<Fold<State, unknown>["schema"], "fields">
}): StateCodec<State> => {
  const checks = new Map<PropertyKey, (value: unknown) => boolean>(
    Object.entries(schema.fields).map(([key, field]) => [key, checkOf(field)])
  )
  // The initial state holds all other fields, and most states change a third of them.
  const isPart = (kept: object) => {
    // A list has ten thousand of them, and entries would be arrays.
    for (const key in kept) if (checks.get(key)?.(kept[key as never]) !== true) return false
    return true
  }
  const first = new Map(Object.entries(initial).map(([key, value]) => [key, JSON.stringify(value)]))
  const parsed = ({ revision, state }: KeptState) => {
    if (state === "") return undefined
    try {
      const kept = JSON.parse(state) as Partial<State> | null
      return kept?.revision === revision ? kept : undefined
    } catch {
      return undefined
    }
  }
  const decode: StateCodec<State>["decode"] = (snapshot) => {
    const kept = parsed(snapshot)
    return kept !== undefined && isPart(kept) ? { ...initial, ...kept } : undefined
  }
  return {
    encode: (state) => {
      const changed = Object.entries(state).filter(([key, value]) => JSON.stringify(value) !== first.get(key))
      const text = JSON.stringify(Object.fromEntries(changed))
      const back = decode({ state: text, revision: state.revision })
      return JSON.stringify(back) === JSON.stringify(state) ? text : ""
    },
    decode
  }
}

/** Makes the codec of a fold's briefs: the state with the fields of its brief alone. */
export const briefCodec = <State extends { readonly revision: number }, Event, Shown extends keyof State>({
  brief,
  initial,
  schema
}: Fold<State, Event, Shown>) => {
  const keys = ["revision", ...brief] as const
  const codec = stateCodec<Pick<State, "revision" | Shown>>({
    initial: Struct.pick(initial, keys),
    schema: { fields: Struct.pick(schema.fields, keys) }
  })
  return {
    encode: (state: State) => codec.encode(Struct.pick(state, keys)),
    decode: ({ brief, revision }: Pick<Brief, "brief" | "revision">) => codec.decode({ revision, state: brief })
  }
}
