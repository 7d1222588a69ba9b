import { execFileSync } from "node:child_process"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { type Lab, type LabOptions, makeLab, type Part } from "./Lab.ts"
import { headless } from "./ClaudeStage.ts"
import { told as untilTold } from "./Watched.ts"

const last = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].at(-1)?.[1] ?? ""
/** The assignment, by the prompt that came last. */
export const assignmentOf = (known: string) => ({
  role: last(known, /^## (Implementation|Code Review) Task$/gmu),
  task: last(known, /^\*\*Task ID:\*\* ([\w-]+)$/gmu),
  word: last(known, /^(?:IMPLEMENTATION_COMPLETE|APPROVED) (\w+)$/gmu)
})
/** Commits a line of a task. */
export const write = (task: string) =>
  `echo line >> ${task}.txt && git add ${task}.txt && git -c user.name=A -c user.email=a@localhost commit -q -m "${task}" && git rev-parse HEAD`
export const complete = (word: string) =>
  `It is written.\n\n\`\`\`\nIMPLEMENTATION_COMPLETE ${word}\ncommits: [HEAD]\nfiles_changed: [a]\ntest_file: none\n\`\`\``
export const approved = (word: string) => `I have looked.\n\n\`\`\`\nAPPROVED ${word}\nsummary: it is written\n\`\`\``
const bow = "---\nname: bow\ndescription: Take the bow\n---\nTake the bow.\n"

/** What happens beside the conductor, which has said these words so far. */
type Meanwhile = (lab: Lab, said: Effect.Effect<string>) => Effect.Effect<void, unknown>

/** A lab whose project is a repository with these files in it, and whose agents have a shell. */
export const repository = Effect.fn("repository")(function* (
  claude: string,
  files: Readonly<Record<string, string>>,
  part: Part,
  options: LabOptions = {}
) {
  const lab = yield* makeLab(claude, "opera", part, options)
  const git = (...args: ReadonlyArray<string>) =>
    execFileSync("git", ["-C", lab.project, ...args], { encoding: "utf8" })
  git("init", "-q", "-b", "main")
  git("config", "user.name", "A")
  git("config", "user.email", "a@localhost")
  for (const [file, text] of Object.entries(files)) {
    yield* lab.write(file, text)
    git("add", "--", file)
  }
  git("commit", "-q", "--allow-empty", "-m", "base")
  // In print mode the agent can ask no person, so the project allows what its agents need.
  yield* lab.write(".claude/settings.json", JSON.stringify({ permissions: { allow: ["Bash"] } }))
  return { lab, git }
})

/** The events among the lines of a conductor or of its log. */
export const eventsIn = (said: string) =>
  said
    .split("\n")
    .flatMap((line): ReadonlyArray<{ _tag: string; [field: string]: unknown }> =>
      line.startsWith("{") ? [JSON.parse(line)] : []
    )
/** Which agents were asked, in their order. */
export const askedIn = (events: ReturnType<typeof eventsIn>) =>
  events
    .filter(({ _tag }) => _tag === "AgentAsked")
    .map(({ resumed, role, taskId }) => `${String(taskId)} ${String(role)}${resumed === true ? " again" : ""}`)

/** A project of that plan, in which real agents conduct it, and everything that its conductor said. */
export const conducted = Effect.fn("conducted")(function* (
  claude: string,
  text: string,
  part: Part,
  {
    meanwhile = () => Effect.void,
    most: allowed = 1,
    ...options
  }: LabOptions & { readonly meanwhile?: Meanwhile; readonly most?: number } = {}
) {
  const { git, lab } = yield* repository(claude, {}, part, options)
  yield* lab.write("plan.yaml", text)
  yield* lab.write(".claude/skills/bow/SKILL.md", bow)
  const stage = yield* headless(lab)
  const souffleur = yield* stage.souffleur(["conduct", "plan.yaml", "--json"])
  yield* Effect.forkScoped(meanwhile(lab, souffleur.said))
  yield* untilTold(souffleur, "TaskCompleted")
  const code = yield* souffleur.exitCode
  const said = yield* souffleur.said
  assert.strictEqual(code, 0, said)
  const events = eventsIn(said)
  const state = JSON.parse(yield* lab.read("state.json"))
  assert.deepInclude(state, { phase: "completion", current_task: null })
  const { most } = yield* lab.agents
  assert.strictEqual(most, allowed)
  const told = (args: ReadonlyArray<string>) =>
    Effect.flatMap(stage.souffleur(args), ({ exitCode, said }) => Effect.andThen(exitCode, said))
  return { lab, git, events, asked: askedIn(events), state, told }
})
