import { Agent } from "@souffleur/domain"
import { runProgram } from "@souffleur/process"
import { ExternalExport } from "@souffleur/recovery"
import { Effect, Layer } from "effect"
import { join } from "node:path"
import { border, holds } from "../Border.ts"
import { homeIn } from "../CommandLine.ts"
import { bytes, plainWord, run, torn, tree, word } from "../Hostile.ts"
import { printing } from "../FuzzPrograms.ts"
import { settle } from "../Settle.ts"

const nobody = Layer.succeed(Agent, Agent.of({} as never))

/** Checks the output of a user's program, and the words that name it. */
export const userPrograms = border("user-programs", {
  share: 4,
  draw: (seed) => ({
    command: seed.pick<() => string>([
      () => "/bin/export",
      () => JSON.stringify(["/bin/export", plainWord(seed)]),
      () => JSON.stringify(tree(seed, 2)),
      () => word(seed)
    ])(),
    output: seed.pick<() => Uint8Array>([
      () =>
        torn(
          seed,
          seed.pick([
            "/nonexistent/x.md\n",
            "/dev/zero\n",
            "/dev/stdin",
            "/proc/self/mem",
            "/etc",
            `/tmp/${word(seed)}`,
            "relative.md",
            "/a\n/b\n"
          ])
        ),
      () => torn(seed, run(seed)),
      () => bytes(seed, 70_000)
    ])(),
    code: seed.pick([0, 0, 0, 1, 139]),
    sessionId: word(seed)
  }),
  checks: {
    "an export command": async ({ code, command, output, sessionId }, place) => {
      const out = join(homeIn(place.folder).project, "export.md")
      const asked = Effect.flatMap(Agent, (agent) => agent.exportSession(sessionId, out))
      const made = await settle(
        asked.pipe(
          Effect.provide(Layer.provide(ExternalExport.layer(command, place.folder), nobody)),
          Effect.provide(printing([output], code))
        )
      )
      holds(made._tag === "Failure", "an export of nothing was taken")
    },
    "a notice": async ({ code, command, output }) => {
      const told = runProgram({ command, args: [], stdin: "{}", within: "5 seconds", atMost: 1000 })
      const printed = await settle(Effect.provide(told, printing([output], code)))
      holds(printed._tag === "Failure" || output.length <= 1000, "more was taken than asked for")
    }
  }
})
