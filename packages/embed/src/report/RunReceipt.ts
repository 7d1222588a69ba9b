import { codeSpan, Words, type Zone } from "@souffleur/domain"
import { usedInWords } from "@souffleur/plan"
import { verifiedWord } from "../explain/RunSentence.ts"
import type { AgentStretch, GateVerdict, TaskStretch } from "../timeline/RunTimeline.ts"
import type { Report, RunPart } from "./Report.ts"

/** UTF-16 units of a word of others. */
const maxLength = 200
const code = (text: string) => codeSpan(text, maxLength)

/** Characters of a commit's hash. */
const hashLength = 12

const at = (head: string | null): string => (head === null ? "" : ` at ${code(head.slice(0, hashLength))}`)

const gateLine = ({ head, programs, refused }: GateVerdict): string => {
  const said = refused === null ? "passed" : refused.code === null ? "no end of its own" : `exit code ${refused.code}`
  return `- Gate${at(head)}: ${programs.map(code).join(", ")}: ${said}`
}

const reviewLine = ({ agent, head, outcome, standsIn }: AgentStretch): string =>
  `- Review${at(head)}: ${outcome} by ${agent === null ? "the configured agent" : code(agent)}${standsIn ? ", the fallback" : ""}`

/** Names a fallback that implemented; of no other agent a person asks why it did. */
const fallbackLine = ({ agents }: TaskStretch): ReadonlyArray<string> => {
  const last = agents.findLast(({ outcome }) => outcome === "done")
  return last?.standsIn === true ? [`- Implemented by ${code(last.agent ?? "")}, the fallback`] : []
}

const taskLines = (task: TaskStretch): ReadonlyArray<string> => {
  const { agents, commits, id, outcome, title, used, verdicts } = task
  const status =
    outcome === null ? "not complete" : outcome === "completed" ? `completed, ${verifiedWord(task)}` : outcome
  const said = [
    ...verdicts.map((one) => ({ at: one.at, line: gateLine(one) })),
    ...agents.flatMap((one) =>
      one.outcome === "approved" || one.outcome === "rejected"
        ? [{ at: one.to ?? one.from, line: reviewLine(one) }]
        : []
    )
  ].toSorted((a, b) => a.at - b.at)
  return [
    "",
    `#### ${code(id)} ${code(title)}`,
    "",
    `- ${Words.capital(status)}`,
    ...(commits.length === 0 ? [] : [`- Commits: ${commits.map((one) => code(one.slice(0, hashLength))).join(", ")}`]),
    ...fallbackLine(task),
    ...said.map(({ line }) => line),
    ...(used.tokens + used.dollars === 0 ? [] : [`- Used: ${usedInWords(used)}`])
  ]
}

const runLines = ({ id, state, timeline: { from, tasks, to } }: RunPart, zone: Zone) => {
  const completed = tasks.filter(({ outcome }) => outcome === "completed")
  const verified = completed.filter((task) => task.verified).length
  return [
    "",
    `### Run ${code(id)}`,
    "",
    `${Words.capital(state)}: ${completed.length} of ${Words.many(tasks.length, "task")} completed, ${verified} verified by a program.`,
    `From ${Words.dateAndTime(from, zone)} to ${Words.dateAndTime(to, zone)}.`,
    ...tasks.filter(({ from, outcome }) => from !== null || outcome !== null).flatMap(taskLines)
  ]
}

/**
 * Writes what the log has of the runs of a folder as Markdown for a pull request, by the clock of a zone; `null`: the
 * report has no run of it. No word of an agent is in it, and those of a plan are no Markdown (spec:
 * command-line#receipts).
 */
export const receiptMarkdown = ({ runs }: Pick<Report, "runs">, project: string, zone: Zone): string | null => {
  const own = runs.filter((run) => run.project === project)
  return own.length === 0 ? null : ["## Receipt of souffleur", ...own.flatMap((run) => runLines(run, zone))].join("\n")
}
