import type { LaunchOrder } from "@souffleur/domain"
import type { FakeFiles } from "../FakeFiles.ts"
import type { FakeGit } from "./FakeGit.ts"
import type { FakeProcess } from "../FakeProcesses.ts"

/** What an agent of a plan is asked to do. */
export interface FakePart {
  readonly role: "implementer" | "reviewer" | "finisher"
  /** `null`: the finishing step, which has no task. */
  readonly taskId: string | null
  /** 1 for the first agent of this role at this task, then 1 more each. */
  readonly attempt: number
  readonly prompt: string
}

/**
 * What it does. `complete`: it commits these files. `blocked`: it cannot go on. `silent`: it ends without a word, which
 * is all that a finisher has to do. `hangs`: it never ends.
 */
export type FakePlay =
  | { readonly _tag: "complete"; readonly files: ReadonlyArray<string> }
  | { readonly _tag: "blocked"; readonly reason: string }
  | { readonly _tag: "approved" }
  | { readonly _tag: "rejected"; readonly issues: ReadonlyArray<string> }
  | { readonly _tag: "silent" }
  | { readonly _tag: "hangs" }

/** Returns the role and the task of a launch, which its title has, and its word behind the header of its prompt. */
const partOf = (title: string, prompt: string) => {
  const [role, taskId = null] = title.split(" ") as [FakePart["role"], string?]
  const [, word = ""] = /^(?:IMPLEMENTATION_COMPLETE|APPROVED) (\S+)$/mu.exec(prompt) ?? []
  return { role, taskId, word }
}

const answerOf = (play: FakePlay, word: string): string => {
  switch (play._tag) {
    case "complete":
      return `IMPLEMENTATION_COMPLETE ${word}\ncommits: its own\nfiles_changed: ${play.files.join(", ")}\ntest_file: none`
    case "blocked":
      return `IMPLEMENTATION_BLOCKED ${word}\nreason: ${play.reason}`
    case "approved":
      return `APPROVED ${word}\nsummary: good`
    case "rejected":
      return `REJECTED ${word}\nsummary: not yet\nissues:\n${play.issues.map((issue) => `- ${issue}`).join("\n")}`
    case "silent":
    case "hangs":
      return ""
  }
}

/** Returns whether a launch is of a plan's run, by its id. */
export const isOfPlan = (launchId: string): boolean => launchId.startsWith("run-")

/** How long each of them works, in ms. */
const workMillis = 60_000

/**
 * The agents that a run launches for the tasks of its plan. Each works for a minute. Implementers commit one file and
 * reviewers approve, unless a test says otherwise.
 */
export class FakeMusicians {
  readonly #git: FakeGit
  readonly #files: FakeFiles
  constructor(git: FakeGit, files: FakeFiles) {
    this.#git = git
    this.#files = files
  }

  /** Their parts so far, in the order of their launches. */
  readonly parts: Array<FakePart> = []
  /** Decides what each of them does. */
  plays: (part: FakePart) => FakePlay = ({ role, taskId }) => {
    if (role === "finisher") return { _tag: "silent" }
    return role === "implementer" ? { _tag: "complete", files: [`${taskId}.ts`] } : { _tag: "approved" }
  }

  /**
   * Plays the part of a launch, and prints its answer to a file. Returns what becomes of its process; `undefined`: the
   * launch is of no plan.
   */
  play({ command, id, title }: LaunchOrder, output: string, now: number): Pick<FakeProcess, "endsAt"> | undefined {
    if (!isOfPlan(id)) return undefined
    const prompt = command.args.at(-1) ?? ""
    const { role, taskId, word } = partOf(title, prompt)
    const attempt = 1 + this.parts.filter((one) => one.role === role && one.taskId === taskId).length
    const part = { role, taskId, attempt, prompt }
    this.parts.push(part)
    const play = this.plays(part)
    if (play._tag === "complete" && play.files.length > 0) this.#git.commit(...play.files)
    this.#files.write(output, answerOf(play, word))
    return play._tag === "hangs" ? {} : { endsAt: now + workMillis }
  }
}
