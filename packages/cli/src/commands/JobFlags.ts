import { Permission, titleFrom } from "@souffleur/domain"
import { Effect, Option } from "effect"
import { Flag } from "effect/cli"
import { BadUsage } from "../Failure.ts"
import { Environment } from "../world/CommandEnvironment.ts"

const optional = (name: string, what: string) => Flag.String(name).pipe(Flag.withDescription(what), Flag.optional)
const repeated = (name: string, what: string) => Flag.String(name).pipe(Flag.withDescription(what), Flag.atLeast(0))

/** What a caller says of one job (spec: behaviour#jobs-of-a-caller). */
export const jobFlags = {
  name: optional("name", "What every list calls it; its program and first words by default"),
  id: optional("id", "Its id, of your choice: the same id is the same watch, also once it has ended"),
  permission: Flag.Literals("permission", Permission.literals).pipe(
    Flag.withDescription("What every launch of it may do at most; at most MAX_EXTERNAL_PERMISSION"),
    Flag.optional
  ),
  label: repeated("label", "NAME=VALUE, which status --json and notices have; may be repeated"),
  env: repeated("env", "A variable of yours, by its name, that each launch of it gets; may be repeated")
}

interface Said {
  readonly name: Option.Option<string>
  readonly id: Option.Option<string>
  readonly permission: Option.Option<Permission>
  readonly label: ReadonlyArray<string>
  readonly env: ReadonlyArray<string>
}

/** Returns the flags of a job that were said. */
export const jobFlagsSaid = ({ env, id, label, name, permission }: Said): ReadonlyArray<string> => [
  ...(Option.isSome(name) ? ["--name"] : []),
  ...(Option.isSome(id) ? ["--id"] : []),
  ...(Option.isSome(permission) ? ["--permission"] : []),
  ...(label.length > 0 ? ["--label"] : []),
  ...(env.length > 0 ? ["--env"] : [])
]

const bad = (message: string) => Effect.fail(new BadUsage({ message }))

/** Reads them. Fails with `BadUsage` where a label has no value, or a variable is not set. */
export const jobIn = Effect.fnUntraced(function* ({ env, id, label, name, permission }: Said) {
  const { variables } = yield* Environment
  const labels = label.map((text) => [text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1)] as const)
  if (label.some((text) => text.indexOf("=") < 1))
    return yield* bad("--label must be NAME=VALUE, such as ticket=REM-17")
  const unset = env.find((one) => variables[one] === undefined)
  // A value is not repeated, since it may be a key.
  if (unset !== undefined)
    return yield* bad(
      unset.includes("=")
        ? "--env takes a name alone, since others read command lines: set the variable before souffleur"
        : `--env ${titleFrom(unset)}: there is no such variable here`
    )
  return {
    title: Option.getOrUndefined(name),
    id: Option.getOrUndefined(id),
    permission: Option.getOrUndefined(permission),
    labels: Object.fromEntries(labels),
    environment: Object.fromEntries(env.map((one) => [one, variables[one] ?? ""]))
  }
})
