import { it } from "@effect/vitest"
import type { Effect, Scope } from "effect"

type Live = () => Effect.Effect<void, unknown, Scope.Scope>

/** Makes a test of real processes. */
export const live = (what: string, test: Live, skip = false) => it.live(what, test, { skip })

/** Makes such a test of one more case, for `pnpm test:cases`. */
export const liveCase = (what: string, test: Live, skip = false) => it.live(what, test, { skip, tags: ["cases"] })
