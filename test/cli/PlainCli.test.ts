/** @module-tag cases */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as fs from "node:fs"
import { join } from "node:path"
import { stage, until } from "./CliStage.ts"

const forged = "2026-01-01T00:00:00Z S1 The Conductor completed."
/**
 * A text with a title, a cleared screen, a colour and the same by C1 controls. It also has words in another order, and
 * a line that looks like ours.
 */
const evil = `\u001B]0;pwned\u0007\u001B[2J\u001B[31mHACK\u001B[0m\u009B2J\u202E\u2066\u200F\u2028\n${forged}`
const obeyed = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/u

interface Told {
  readonly lines: ReadonlyArray<string>
  readonly errors: string | (() => string)
}
/** Asserts that the output is plain, and returns it as a person or a program would have seen it. */
const plainly = (what: string, { errors, lines }: Told) => {
  const all = [...lines, ...(typeof errors === "string" ? errors : errors()).split("\n")]
  for (const line of all) {
    assert.notMatch(line, obeyed, what)
    assert.isFalse(line.startsWith(forged), `${what}: a line of ours is forged`)
  }
  return all.join("\n")
}

describe("behaviour#plain-words", () => {
  it.live("a terminal obeys no word of comms, the agent's files, the config or a folder's name, in any command", () =>
    Effect.gen(function* () {
      const the = yield* stage([{ id: "task-01", file: "scene.txt", text: "", millis: 1 }])
      // A database of others, which holds its words to nothing.
      the.commsDb((db) => {
        db.exec("DROP TABLE orchestration_tasks")
        db.exec(
          "CREATE TABLE orchestration_tasks (task_id TEXT PRIMARY KEY, state TEXT, session_id TEXT, last_heartbeat TEXT, last_error TEXT)"
        )
        db.exec("INSERT INTO orchestration_tasks (task_id, state) VALUES ('souffleur', 'watching')")
        db.prepare("INSERT INTO orchestration_tasks (task_id, state, last_heartbeat) VALUES ('task-00', ?, ?)").run(
          evil,
          evil
        )
      })
      // Somebody who lives, and says of itself what we want.
      const agent = the.spawned(process.execPath, ["-e", "setInterval(() => {}, 60_000)"])
      const startTime = Number(fs.readFileSync(`/proc/${agent.pid}/stat`, "utf8").split(") ").at(-1)!.split(" ")[19])
      const [sessions, folder] = [join(the.home, "claude", "sessions"), join(the.home, "claude", "projects", "opera")]
      for (const path of [sessions, folder]) fs.mkdirSync(path, { recursive: true })
      const record = {
        type: "user",
        cwd: the.project,
        sessionId: the.session,
        message: { role: "user", content: evil }
      }
      fs.writeFileSync(join(folder, `${the.session}.jsonl`), `${JSON.stringify(record)}\n`)
      const says = { pid: agent.pid, sessionId: the.session, cwd: the.project, procStart: String(startTime) }
      fs.writeFileSync(
        join(sessions, `${agent.pid}.json`),
        JSON.stringify({ ...says, status: "waiting", waitingFor: `perm${evil}` })
      )
      const watch = the.start(["watch", "--verbose", "--pid", String(agent.pid), "--session-id", the.session])
      const tells = (words: string) =>
        until(
          Effect.sync(() => watch.errors().includes(words)),
          (yes) => yes
        )
      yield* tells("waits for a person")
      yield* Effect.forEach(
        ["status", "log", "why", "state", "doctor"],
        Effect.fnUntraced(function* (command) {
          plainly(command, yield* the.ask([command]))
          // A process has a console of its own.
          plainly(`${command} --json`, yield* the.run([command, "--json"]))
        }),
        {
          concurrency: 3
        }
      )
      assert.include(plainly("why", yield* the.run(["why"])), "HACK")
      assert.include(JSON.parse((yield* the.ask(["why", "--json"])).lines.join("\n")).decision.for, "\u001B[31mHACK")
      agent.kill("SIGKILL")
      yield* tells("The Conductor is dead")
      for (const command of [["why"], ["log"], ["release"]]) plainly(command.join(" "), yield* the.ask(command))
      yield* watch.ended
      plainly("watch", watch)
    })
  )

  it.live("a terminal obeys no word of a plan, its errors, arguments or settings", () =>
    Effect.gen(function* () {
      const the = yield* stage([])
      const folder = join(the.home, `op${evil.replaceAll("/", "")}era`)
      fs.mkdirSync(join(folder, ".orchestra_configs"), { recursive: true })
      const yaml = JSON.stringify(evil)
      const task = `tasks:\n  - id: t1\n    title: ${yaml}\n    acceptance_criteria: [${yaml}]\n`
      const write = (name: string, text: string) => fs.writeFileSync(join(folder, name), text)
      write(`x${evil}.yaml`, "no: plan\n")
      write("good.yaml", `finish: { prompt: ${yaml} }\n${task}`)
      write("key.yaml", `${task}    ${yaml}: 1\n`)
      write("doc.yaml", `${task}    reference_docs: [${yaml}]\n`)
      write(
        ".orchestra_configs/souffleur",
        `AGENT_COMMAND=/x\u001B[31m\u009B\u202E\nNOTIFY=command:\u001B[31mX\nQUIET_HOURS=\u001B[2J\n\u001B[2J=1\n`
      )
      const cases: ReadonlyArray<ReadonlyArray<string>> = [
        ["conduct", `x${evil}.yaml`],
        ["conduct", "key.yaml"],
        ["conduct", "doc.yaml"],
        ["conduct", "good.yaml", "--dry-run"],
        ["conduct", "good.yaml", "--dry-run", "--json"],
        ["conduct", "status"],
        ["config"],
        ["config", "--json"],
        ["doctor"],
        ["doctor", "--json"],
        ["watch", "--pid", "4190000", "--session-id", evil],
        ["watch", "--pid", evil, "--session-id", evil],
        ["log", evil],
        ["estimate", evil],
        ["export", evil],
        ["conduct", "--help"]
      ]
      plainly("an untrusted file", yield* the.run(["conduct", "good.yaml", "--dry-run"], {}, folder))
      plainly("a trusted file", yield* the.ask(["config", "--trust"], {}, folder))
      /** The agent of the file is refused, and that of the stage plays the plan through. */
      const ofFile = { SOUFFLEUR_AGENT_COMMAND: "" }
      const said = yield* Effect.forEach(
        cases,
        (args) =>
          Effect.map(the.ask(args, args.includes("--dry-run") ? {} : ofFile, folder), (told) =>
            plainly(args.join(" "), told)
          ),
        { concurrency: 3 }
      )
      assert.include(said[3], "HACK")
      plainly("a process", yield* the.run(cases[3]!, {}, folder))
      plainly("a refused process", yield* the.run(cases[3]!, ofFile, folder))
      assert.deepStrictEqual(JSON.parse(said[4]!).tasks[0].title, evil.trim())
    })
  )
})
