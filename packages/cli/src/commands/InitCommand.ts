import { CommsErrand, CommsSchema } from "@souffleur/comms"
import { Signals, SqliteClient } from "@souffleur/node"
import { Console, Effect, FileSystem, Path } from "effect"
import { Command, Flag } from "effect/cli"
import { json, projectDir } from "./Options.ts"
import { Project, withProject } from "./ProjectCommand.ts"

/**
 * Makes what a file lacks. Tables that are there may have checks of others, which may not end. So a second process
 * writes to them. A signal ends this process at once while it makes or reads the file itself.
 */
const makeIn = Effect.fnUntraced(function* (file: string) {
  const fs = yield* FileSystem.FileSystem
  if (!(yield* fs.exists(file))) return yield* Signals.endable(CommsSchema.init(file))
  const isMade = yield* Effect.orElseSucceed(Signals.endable(CommsSchema.isMade(file)), () => false)
  return isMade ? [] : yield* CommsErrand.init(file)
}, Effect.provide(SqliteClient.layerSqlite))

/** Names of a plan. A project with one of them has a plan. */
const planNames = ["plan.yaml", "plan.yml", "plan.md", "plan.markdown", "plan.json"] as const

/** Writes a new plan where a project has none, and never over a file. Returns the plan that is there. */
const writeNewPlan = Effect.fnUntraced(function* (project: string) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  for (const name of planNames) {
    const file = path.join(project, name)
    if (yield* fs.exists(file)) return { plan: file, made: false }
  }
  const { newPlan } = yield* Effect.promise(() => import("@souffleur/plan"))
  const plan = path.join(project, planNames[0])
  // A link that leads nowhere is a file of a person, too.
  return yield* fs.writeFileString(plan, newPlan, { flag: "wx" }).pipe(
    Effect.as({ plan, made: true }),
    Effect.catchIf(
      ({ reason }) => reason._tag === "AlreadyExists",
      () => Effect.succeed({ plan, made: false })
    )
  )
})

/** Makes the comms database of a project, or what it lacks, or a new plan (spec: command-line#setting-up). */
export const initCommand = Command.make(
  "init",
  {
    plan: Flag.Boolean("plan").pipe(
      Flag.withDescription("Write a new plan in place of the database, with each key as a comment"),
      Flag.withDefault(false)
    ),
    projectDir,
    json
  },
  Effect.fnUntraced(function* (flags) {
    const path = yield* Path.Path
    if (flags.plan) {
      const found = yield* writeNewPlan(yield* Project)
      if (flags.json) return yield* Console.log(JSON.stringify(found))
      const { made, plan } = found
      return yield* Console.log(
        made
          ? `made ${plan}: write its tasks, then souffleur conduct ${path.basename(plan)}`
          : `there is a plan already: ${plan}`
      )
    }
    const file = path.join(yield* Project, "comms.db")
    const made = yield* CommsErrand.patiently(makeIn(file))
    if (flags.json) return yield* Console.log(JSON.stringify({ comms: file, made }))
    yield* Console.log(made.length === 0 ? `${file} has everything already` : `made in ${file}: ${made.join(", ")}`)
  })
).pipe(withProject)
