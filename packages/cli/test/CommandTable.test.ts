import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Completions } from "effect/cli"
import { ordered, rootFor } from "../src/CommandTable.ts"

/** Returns the commands of a root that have been loaded, by their names. A mention has no flag. */
const loadedFor = (...args: ReadonlyArray<string>) =>
  Effect.map(rootFor(args), (root) =>
    Completions.fromCommand(root).subcommands.flatMap(({ flags, name, subcommands }) =>
      flags.length + subcommands.length > 0 ? [name] : []
    )
  )

describe("settings#compiled-code", () => {
  it.effect("a command line loads the command that it names first", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* loadedFor("status", "--all"), ["status"])
      assert.deepStrictEqual(yield* loadedFor("--log-level", "debug", "conduct", "status"), ["conduct"])
      assert.deepStrictEqual(yield* loadedFor("stop"), ["stop"])
      assert.deepStrictEqual(yield* loadedFor("--help"), [])
      assert.deepStrictEqual(yield* loadedFor("statsu"), [])
    })
  )

  it.effect("completions read every command, and the help mentions each of them", () =>
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
      assert.isAbove((yield* loadedFor("--completions=bash")).length, 20)
    })
  )

  it.effect("a help reads the command that it is asked for", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* loadedFor("help", "status"), ["status", "help"])
      assert.deepStrictEqual(yield* loadedFor("help"), ["help"])
    })
  )
})

describe("command-line#conventions", () => {
  it("a project folder before a command counts for that command, and not for what runs", () => {
    assert.deepStrictEqual(ordered(["--project-dir", "/app", "status", "--json"]), [
      "status",
      "--json",
      "--project-dir",
      "/app"
    ])
    assert.deepStrictEqual(ordered(["--project-dir=/app", "run", "--", "ls", "-l"]), [
      "run",
      "--project-dir=/app",
      "--",
      "ls",
      "-l"
    ])
    for (const same of [["--project-dir", "/app"], ["--project-dir=/app"], ["status", "--project-dir", "/app"], []])
      assert.deepStrictEqual(ordered(same), same)
  })
})
