import { Schema, Struct } from "effect"
import type { FoldName, Snapshot } from "./Snapshots.ts"

/** How one kind of aggregate is folded, and how its state is kept. */
export interface Fold<State extends { readonly revision: number }, Event> {
  readonly name: FoldName
  readonly initial: State
  readonly evolve: (state: State, event: Event) => State
  /** Holds each state, field by field. Every value of it is JSON, or `undefined` at the top. */
  readonly schema: Schema.Schema<State> & Pick<Schema.Struct<Schema.Struct.Fields>, "fields">
  readonly isEnded: (state: State) => boolean
  /** The number of events that are worth a write of snapshots, though no aggregate has ended. */
  readonly keepEvery: number
  /** The words that an aggregate is found by. */
  readonly keysOf: (state: State) => ReadonlyArray<string>
}

type KeptState = Pick<Snapshot, "state" | "revision">

/** The two directions between a state and its JSON. */
export interface StateCodec<State> {
  /** Keeps what differs from the initial state. Returns an empty text for a state that would come back as another. */
  readonly encode: (state: State) => string
  /** Returns `undefined` at any doubt: no JSON, no state by the schema, or a state of another revision. */
  readonly decode: (kept: KeptState) => State | undefined
  /** Decodes these fields as `decode` does, and looks at no other field. */
  readonly part: <Key extends keyof State>(
    keys: ReadonlyArray<Key>
  ) => (kept: KeptState) => Pick<State, Key> | undefined
}

/** Makes the codec of a fold's state. */
export const stateCodec = <State extends { readonly revision: number }, Event>({
  initial,
  schema
}: Pick<Fold<State, Event>, "initial" | "schema">): StateCodec<State> => {
  const checks = new Map<PropertyKey, (value: unknown) => boolean>(
    Object.entries(schema.fields).map(([key, field]) => [key, Schema.is(field)])
  )
  // The initial state holds all other fields, and most states change a third of them.
  const isPart = (kept: object) => Object.entries(kept).every(([key, value]) => checks.get(key)?.(value) === true)
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
    decode,
    part: (keys) => {
      const unchanged = Struct.pick(initial, keys)
      return (snapshot) => {
        const kept = parsed(snapshot)
        if (kept === undefined) return undefined
        const part = { ...unchanged }
        for (const key of keys) {
          const value = kept[key]
          if (value === undefined) continue
          if (checks.get(key)?.(value) !== true) return undefined
          part[key] = value
        }
        return part
      }
    }
  }
}
