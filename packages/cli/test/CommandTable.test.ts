import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { Completions } from "effect/cli"
import { rootFor } from "../src/CommandTable.ts"

/** Returns the commands of a root that have been loaded, by their names. A mention has no flag. */
const loadedFor = (...args: ReadonlyArray<string>) =>
  Effect.map(rootFor(args), (root) =>
    Completions.fromCommand(root).subcommands.flatMap(({ flags, name, subcommands }) =>
      flags.length + subcommands.length > 0 ? [name] : []
    )
  )

it.effect("a command line loads the command that it names first, by its alias too", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* loadedFor("status", "--all"), ["status"])
    assert.deepStrictEqual(yield* loadedFor("--log-level", "debug", "conduct", "status"), ["conduct"])
    assert.deepStrictEqual(yield* loadedFor("stop"), yield* loadedFor("release"))
    assert.deepStrictEqual(yield* loadedFor("--help"), [])
    assert.deepStrictEqual(yield* loadedFor("statsu"), [])
  })
)

it.effect("completions and the wizard read every command, and the help mentions each of them", () =>
  Effect.gen(function* () {
    const [help, every] = [yield* rootFor(["--help"]), yield* rootFor(["--completions=bash", "status"])]
    const listed = ({ subcommands }: typeof help) =>
      subcommands.flatMap(({ commands }) =>
        commands.map(({ alias, description, name }) => ({ alias, description, name }))
      )
    assert.deepStrictEqual(listed(help), listed(every))
    assert.include(
      listed(help).map(({ name, alias }) => alias ?? name),
      "stop"
    )
    assert.deepStrictEqual(yield* loadedFor("--wizard"), yield* loadedFor("--completions=bash"))
    assert.isAbove((yield* loadedFor("--wizard")).length, 20)
  })
)
