import * as NodeServices from "@effect/platform-node/NodeServices"
import { Souffleur } from "@souffleur/embed"
import { Console, Effect, FileSystem, Path } from "effect"
import { strictEqual } from "node:assert"
import { execFileSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { write } from "./Book.ts"

const beside = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const check = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const folder = yield* fs.makeTempDirectoryScoped({ prefix: "book-" })
  const project = path.join(folder, "book")
  yield* fs.makeDirectory(project)
  yield* fs.copyFile(beside("plan.yaml"), path.join(project, "plan.yaml"))
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-C", project, "-c", "user.name=A", "-c", "user.email=a@localhost", ...args])
  git("init", "-q", "-b", "main")
  git("commit", "-q", "--allow-empty", "-m", "An empty book")

  const agentDir = path.join(folder, "agent")
  const souffleur = Souffleur.layerNode({
    stateDir: path.join(folder, "state"),
    environment: { ...process.env, CLAUDE_CONFIG_DIR: agentDir },
    settings: { agentDir, agentCommand: JSON.stringify([process.execPath, beside("Writer.ts")]) }
  })
  let answers = 0
  const publisher = (task: string, problem: string) =>
    Effect.as(
      Console.log(`the publisher is asked about the ${task}: ${problem}`),
      `call it The Night, answer ${++answers}`
    )
  const { tasks } = yield* Effect.provide(write(project, publisher), souffleur)
  const complete = tasks.filter(({ status }) => status === "completed").length
  const told = `${complete} of ${tasks.length} tasks are complete, after ${answers} answer of the publisher`
  yield* Console.log(told)
  strictEqual(told, "2 of 2 tasks are complete, after 1 answer of the publisher")
})
await Effect.runPromise(check.pipe(Effect.provide(NodeServices.layer), Effect.scoped))
