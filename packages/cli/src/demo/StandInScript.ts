import { runProgram } from "@souffleur/process"
import { Effect, FileSystem, Path, Schedule, Schema } from "effect"
import type { Session } from "../agent/StandInAgent.ts"

/**
 * `craft.json` in the project: the acts of each implementer and reviewer of a task, one for each assignment. The last
 * act serves for all further assignments.
 */
const Craft = Schema.fromJsonString(
  Schema.Struct({
    /** Milliseconds that an assignment takes. */
    millis: Schema.Natural,
    tasks: Schema.Record(
      Schema.String,
      Schema.Struct({
        implementer: Schema.NonEmptyArray(Schema.Literals(["commit", "forget", "claim", "blocked", "mute", "hang"])),
        reviewer: Schema.NonEmptyArray(Schema.Literals(["approve", "reject", "lazy", "mute", "hang"]))
      })
    )
  })
)

/**
 * Returns the role, task and word of a prompt of the Conductor loop. `undefined`: another prompt. One that goes on in a
 * session does not name the task again, which the `conversation` has.
 */
export const craftOf = (prompt: string, conversation = "") => {
  const role = prompt.startsWith("## Implementation Task")
    ? ("implementer" as const)
    : prompt.startsWith("## Code Review Task")
      ? ("reviewer" as const)
      : undefined
  const task = /^You review a plan /mu.test(prompt)
    ? "plan"
    : /\*\*Task ID:\*\* ([\w.-]+)/u.exec(`${prompt}\n${conversation}`)?.[1]
  const word = /^(?:IMPLEMENTATION_COMPLETE|APPROVED) (\S+)$/mu.exec(prompt)?.[1]
  return role === undefined || task === undefined || word === undefined ? undefined : { role, task, word }
}

/**
 * Waits while a file of this name holds the agent in its folder. A test or the demo thus sees an agent during its work.
 */
export const untilReleased = Effect.fnUntraced(function* ({ folder }: Session, name: string) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const held = files.exists(paths.join(folder, "craft", `${name}.held`))
  yield* Effect.repeat(held, { while: (still) => still, schedule: Schedule.spaced("20 millis") })
})

/** Returns the 1-based number of this assignment for its role and task. The number survives the agent's process. */
const assignmentOf = Effect.fnUntraced(function* ({ folder }: Session, role: string, task: string) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const counts = paths.join(folder, "craft")
  yield* files.makeDirectory(counts, { recursive: true, mode: 0o700 })
  const file = paths.join(counts, `${task}.${role}`)
  yield* files.writeFileString(file, ".", { flag: "a" })
  return (yield* files.readFileString(file)).length
})

const git = (cwd: string, ...args: ReadonlyArray<string>) =>
  runProgram({
    command: "git",
    args: ["-C", cwd, "-c", "user.name=Stand-In", "-c", "user.email=stand-in@localhost", ...args],
    stdin: "",
    within: "30 seconds",
    atMost: 1_000_000
  })

/** Writes the file of a task and commits it, or another one where it `forgets` what was asked. */
const implement = Effect.fnUntraced(function* (
  session: Session,
  { assignment, forgets, task, word }: { assignment: number; forgets: boolean; task: string; word: string }
) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const file = `${task}.${forgets ? "notes" : "txt"}`
  const use = yield* session.writes(file)
  yield* files.writeFileString(paths.join(session.cwd, file), `${task}, assignment ${assignment}\n`, { flag: "a" })
  yield* git(session.cwd, "add", "--", file)
  yield* git(session.cwd, "commit", "-q", "-m", `${task}: assignment ${assignment}`)
  yield* session.toolResult(use, "committed")
  const hash = (yield* git(session.cwd, "rev-parse", "--short", "HEAD")).trim()
  return `It is done.\n\n\`\`\`\nIMPLEMENTATION_COMPLETE ${word}\ncommits: [${hash}]\nfiles_changed: [${file}]\ntest_file: none\n\`\`\``
})

const look = Effect.fnUntraced(function* (session: Session, task: string) {
  const use = yield* session.reads(`${task}.txt`)
  yield* session.toolResult(use, "read")
})

/** Plays one assignment of an implementer or a reviewer, and returns its last words. `undefined`: it never ends. */
export const craft = Effect.fnUntraced(function* (
  session: Session,
  { role, task, word }: NonNullable<ReturnType<typeof craftOf>>
) {
  const files = yield* FileSystem.FileSystem
  const paths = yield* Path.Path
  const script = yield* Effect.option(
    Effect.flatMap(files.readFileString(paths.join(session.cwd, "craft.json")), Schema.decodeUnknownEffect(Craft))
  )
  const { millis, tasks } =
    script._tag === "Some" ? script.value : { millis: 0, tasks: {} as (typeof Craft.Type)["tasks"] }
  const assignment = yield* assignmentOf(session, role, task)
  const acts = tasks[task]?.[role] ?? (role === "implementer" ? (["commit"] as const) : (["approve"] as const))
  const act = acts[Math.min(assignment, acts.length) - 1]!
  yield* Effect.sleep(millis)
  yield* untilReleased(session, `${task}.${role}`)
  switch (act) {
    case "commit":
    case "forget":
      return yield* implement(session, { assignment, forgets: act === "forget", task, word })
    case "claim":
      return `IMPLEMENTATION_COMPLETE ${word}\ncommits: []\nfiles_changed: []\ntest_file: none`
    case "blocked":
      return `IMPLEMENTATION_BLOCKED ${word}\nreason: ${task} needs a key that is not there`
    case "approve":
      yield* look(session, task)
      return `APPROVED ${word}\nsummary: ${task} is as it should be`
    case "lazy":
      return `APPROVED ${word}\nsummary: ${task} looks fine from here`
    case "reject":
      yield* look(session, task)
      return `REJECTED ${word}\nsummary: ${task} is not there yet\nissues:\n- assignment ${assignment} lacks a test\nsuggestions:\n- write one`
    case "mute":
      return "I have nothing to say."
    case "hang":
      return undefined
  }
})
