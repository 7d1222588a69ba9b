import { FleetRole } from "@souffleur/fleet"
import { HubPeople } from "@souffleur/hub"
import { Console, Effect, Redacted } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadUsage } from "../Failure.ts"
import { checkedName, database, withStore } from "./HubTier.ts"
import { printTable } from "../explain/TextTable.ts"
import { json } from "./Options.ts"

const personName = Argument.String("name").pipe(Argument.withDescription("The name of the person at this hub"))

const addCommand = Command.make(
  "add",
  {
    name: personName,
    role: Flag.Literals("role", FleetRole.literals).pipe(
      Flag.withDescription("viewer: sees the fleet; operator: says words to its watches too"),
      Flag.withDefault("viewer" as const)
    ),
    database,
    json
  },
  Effect.fnUntraced(function* (given) {
    const name = yield* checkedName(given.name)
    const token = yield* withStore(
      given.database,
      HubPeople.use((people) => people.add(name, given.role))
    )
    if (given.json)
      return yield* Console.log(JSON.stringify({ person: name, role: given.role, token: Redacted.value(token) }))
    yield* Console.log(Redacted.value(token))
    yield* Console.error(`The token of ${name}, once: it is stored as a digest. There: souffleur fleet login URL`)
  })
).pipe(Command.withDescription("Give a person a role and a token, and print the token once"))

const dismissCommand = Command.make(
  "revoke",
  { name: personName, database, json },
  Effect.fnUntraced(function* (given) {
    const name = yield* checkedName(given.name)
    const revoked = yield* withStore(
      given.database,
      HubPeople.use((people) => people.revoke(name))
    )
    if (!revoked) return yield* new BadUsage({ message: `no person ${name} has a token` })
    yield* Console.log(
      given.json
        ? JSON.stringify({ person: name, revoked })
        : `${name} sees nothing more, and no word of theirs counts.`
    )
  })
).pipe(Command.withDescription("Revoke the token of a person"))

const peopleCommand = Command.make(
  "list",
  { database, json },
  Effect.fnUntraced(function* (given) {
    const people = yield* withStore(
      given.database,
      HubPeople.use(({ all }) => all)
    )
    if (given.json) return yield* Console.log(JSON.stringify(people))
    if (people.length === 0) return yield* Console.log("No person has a token yet.")
    yield* printTable(people.map(({ name, revoked, role }) => [name, revoked ? "revoked" : role]))
  })
).pipe(Command.withDescription("The people that have a token, or had one"))

/** Knows the people of a fleet (spec: fleet#people). */
export const personCommand = Command.make("person").pipe(
  Command.withDescription("Give the people of a fleet their tokens and roles, or revoke them"),
  Command.withSubcommands([addCommand, dismissCommand, peopleCommand])
)
