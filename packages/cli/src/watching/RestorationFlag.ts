import { parseRestoration } from "@souffleur/embed"
import type { Restoration } from "@souffleur/supervisor"
import { Effect, Option } from "effect"
import { BadUsage } from "../Failure.ts"

/** Reads a guardian's word. Fails with `BadUsage` for another word. */
export const restorationOf = (flag: Option.Option<string>) => {
  if (Option.isNone(flag)) return Effect.succeed(Option.none<Restoration>())
  const found = parseRestoration(flag.value)
  return Option.isSome(found)
    ? Effect.succeed(found)
    : Effect.fail(new BadUsage({ message: "--restored is for the guardian alone: leave it out" }))
}
