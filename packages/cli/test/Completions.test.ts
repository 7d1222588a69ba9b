import { assert, describe, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { Completions } from "effect/cli"
import { cli } from "../src/Cli.ts"
import { completionFor } from "../src/completions/IdCompletion.ts"
import { rootFor } from "../src/CommandTable.ts"
import { Environment } from "../src/world/CommandEnvironment.ts"
import { printing } from "../src/Printing.ts"
import { services } from "./mcp/McpPlace.ts"
import { surroundingsIn } from "./Surroundings.ts"

describe("behaviour#plain-words", () => {
  it.layer(services)((it) => {
    it.effect("a completion script is printed line by line, as the shell reads it", () =>
      Effect.gen(function* () {
        const root = yield* rootFor(["--completions"])
        for (const shell of ["bash", "zsh", "fish", "powershell"] as const) {
          const lines: Array<string> = []
          const log = (text: string) => void lines.push(...text.split("\n"))
          yield* cli(["--completions", shell]).pipe(
            Effect.provideService(Console.Console, printing(false, { log, error: log })),
            Effect.provideService(Environment, surroundingsIn("/", {}))
          )
          assert.deepStrictEqual(lines, completionFor(Completions.fromCommand(root), shell).split("\n"), shell)
        }
      })
    )
  })
})
