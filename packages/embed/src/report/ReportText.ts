import { type LimitAhead, limitInWords, iso, plain, Words, type Zone } from "@souffleur/domain"
import { usedInWords } from "@souffleur/plan"
import { verifiedWord } from "../explain/RunSentence.ts"
import { leadLines, leadOf, type WorkItem, type WorthLook } from "./ReportLead.ts"
import { taskCells, taskJson } from "./TasksNow.ts"
import { causeInWords } from "./DeathCause.ts"
import type { Recovery } from "../timeline/Recoveries.ts"
import { lengthOf } from "../timeline/Stretch.ts"
import type { WaitStretch } from "../timeline/WatchTimeline.ts"
import type { Report, RunPart, WatchPart } from "./Report.ts"

const { count, day, duration, many, moment } = Words

/** UTF-16 units of a word of others, and of a finding. */
const [maxLength, maxFinding] = [200, 600]

/** Writes words of others for Markdown: no character of them begins a form, and they stay on their line. */
export const markdownText = (text: string, most = maxLength): string =>
  plain(text, most).replaceAll(/[\\`*_[\]<>|#!&~]/gu, "\\$&")

/** Says for what a watch waited. */
export const waitLabel = (kind: WaitStretch["kind"]): string =>
  kind === "person" ? "a person" : kind.replace("-", " ")

/** Says how a recovery ended, and how long it took. */
const recoveryInWords = (recovery: Recovery, until: number): string => {
  const { contextTokens, cycle, outcome, provider, takenOver } = recovery
  const time = duration(lengthOf(recovery, until))
  return [
    `recovery ${cycle}: ${outcome === null ? `runs for ${time}` : `${outcome} after ${time}`}`,
    ...(provider === null ? [] : [`by ${provider}`]),
    ...(contextTokens === null ? [] : [`${count(contextTokens)} tokens of context`]),
    ...(takenOver.length === 0 ? [] : [`souffleur itself came back ${many(takenOver.length, "time")}`])
  ].join(", ")
}

/** Says how often agents died and came back. */
export const summaryLines = (report: Report): ReadonlyArray<string> => {
  const { contextTokens, recoveries } = report
  const deaths = report.deaths.reduce((sum, one) => sum + one.count, 0)
  return [
    ...(deaths + recoveries.count === 0
      ? ["No deaths."]
      : [
          `${many(deaths, "death")}. ${recoveries.successful} of ${recoveries.count} ${recoveries.count === 1 ? "recovery" : "recoveries"} brought the work back${recoveries.median === null ? "" : `, in ${duration(recoveries.median)} at the median and ${duration(recoveries.longest)} at most`}.`
        ]),
    ...(contextTokens === 0 ? [] : [`Successors went on with ${count(contextTokens)} tokens of context.`])
  ]
}

/** Returns the marks of a watch in the order in which they happened, each with its time. */
export const watchMarks = (
  part: WatchPart,
  until: number
): ReadonlyArray<{ readonly at: number; readonly text: string }> =>
  [
    ...part.deaths.map((death) => ({ at: death.at, text: `S${death.generation} died: ${causeInWords(death)}` })),
    ...part.recoveries.map((one) => ({ at: one.from, text: recoveryInWords(one, until) })),
    ...part.foreseen.map((one) => ({ at: one.at, text: limitInWords(one, one.at) })),
    ...part.waits.map((one) => ({
      at: one.from,
      text: `${one.to === null ? "waits" : "waited"} for ${duration(lengthOf(one, until))}: ${waitLabel(one.kind)}`
    }))
  ].toSorted((a, b) => a.at - b.at)

/** Names the fallbacks among the agents whose words counted, each once. */
const standInsOf = (agents: RunPart["tasks"][number]["agents"]): ReadonlySet<string> =>
  new Set(
    agents.flatMap(({ agent, outcome, role, standsIn }) =>
      standsIn && (outcome === "done" || outcome === "approved") ? [`${role} ${agent}, the fallback`] : []
    )
  )

/** Says what became of the tasks of a run, a line each. The title is a plan's own. */
export const taskInWords = (
  { agents, commits, from, outcome, to, used, verdicts, verified }: RunPart["tasks"][number],
  until: number
): string =>
  [
    outcome ?? "at work",
    ...(outcome === "completed" ? [verifiedWord({ verified })] : []),
    ...verdicts.slice(-1).flatMap(({ refused }) => (refused === null ? [] : ["refused by its gate"])),
    many(agents.length, "agent"),
    ...standInsOf(agents),
    many(commits.length, "commit"),
    ...(used.tokens + used.dollars === 0 ? [] : [usedInWords(used)]),
    ...(from === null ? [] : [duration(lengthOf({ from, to }, until))])
  ].join(", ")

/** Returns a limit that is not reached as a program reads it. */
export const limitJson = ({ basis, flag, limit, of, reachedAt, resetsAt, used }: LimitAhead) => ({
  limit,
  flag,
  used,
  of,
  reached_at: reachedAt === null ? null : iso(reachedAt),
  basis,
  resets_at: resetsAt === null ? null : iso(resetsAt)
})

/** What is worth a look at most. The rest of the report has the others. */
export const maxLooks = 5

const item = ({ id, standing, task, title }: WorkItem): string =>
  `- ${markdownText([id, task, title].filter((one) => one !== null).join(" "))}: ${markdownText(standing)}`

/** Writes a report as Markdown, by the clock of a zone. */
export const reportMarkdown = (report: Report, zone: Zone): string => {
  const { deaths, needs, runs, since, until, waits, watches } = report
  const at = (time: number) => moment(time, until, zone)
  const lead = leadOf(report)
  const looks = (all: ReadonlyArray<WorthLook>) =>
    all.flatMap(({ id, next, why }) => [`- ${markdownText(id)}: ${markdownText(why)}`, `  ${markdownText(next)}`])
  const section = (title: string, lines: ReadonlyArray<string>) => (lines.length === 0 ? [] : ["", title, "", ...lines])
  const title = ({ id, standing, state }: WatchPart | RunPart) =>
    `## ${markdownText(id)}: ${state}${state === "ended" ? `, ${markdownText(standing)}` : ""}`
  return [
    `# Report of ${day(until, zone)}`,
    "",
    `From ${at(since)} to ${at(until)}.`,
    "",
    ...leadLines(report, lead).map(([name, words]) => `- **${name}:** ${words}`),
    "",
    ...summaryLines(report),
    ...section("## Needs you", looks(needs)),
    ...section("## Look at first", looks(lead.looks.slice(0, maxLooks))),
    ...section("## Not done", lead.undone.map(item)),
    ...section("## Done", lead.done.map(item)),
    ...section(
      "## Deaths",
      deaths.map(({ count, message }) => `- ${many(count, "time")}: ${message}`)
    ),
    ...section(
      "## Waits",
      waits.map(({ kind, millis }) => `- ${waitLabel(kind)}: ${duration(millis)}`)
    ),
    ...watches.flatMap((watch) =>
      section(title(watch), [
        ...(watch.title === null ? [] : [markdownText(watch.title), ""]),
        `${markdownText(watch.project)}, watched for ${duration(watch.watched)}, ${many(watch.generations.length, "generation")}.`,
        "",
        ...watchMarks(watch, until).map(({ at: time, text }) => `- ${at(time)} ${markdownText(text)}`),
        ...watch.tasks.map(
          (task) =>
            `- ${markdownText(
              taskCells(task)
                .filter((cell) => cell !== "")
                .join(", ")
            )}`
        )
      ])
    ),
    ...runs.flatMap((run) =>
      section(title(run), [
        `${markdownText(run.project)}, ${many(run.completed, "task")} completed, ${many(run.commits.length, "commit")}.`,
        "",
        ...run.timeline.questions.map((question) => `- asked of the plan: ${markdownText(question, maxFinding)}`),
        ...run.tasks.flatMap((task) => [
          `- ${markdownText(`${task.id} ${task.title}`)}: ${taskInWords(task, until)}`,
          ...task.minor.map((finding) => `  - minor: ${markdownText(finding, maxFinding)}`)
        ])
      ])
    )
  ].join("\n")
}

/** Returns a report as a program reads it. Times are ISO 8601 UTC, durations in milliseconds. */
export const reportJson = (report: Report) => {
  const { contextTokens, deaths, needs, recoveries, runs, since, until, waits, watches, ...counts } = report
  const lead = leadOf(report)
  const time = (at: number | null) => (at === null ? null : iso(at))
  const stretch = <S extends { readonly from: number; readonly to: number | null }>(one: S) => ({
    ...one,
    from: iso(one.from),
    to: time(one.to)
  })
  return {
    since: iso(since),
    until: iso(until),
    done: lead.done,
    not_done: lead.undone,
    needs,
    look_first: lead.looks,
    used: lead.used,
    deaths,
    recoveries: {
      count: recoveries.count,
      successful: recoveries.successful,
      median_ms: recoveries.median,
      longest_ms: recoveries.longest
    },
    waits: waits.map(({ kind, millis }) => ({ kind, ms: millis })),
    context_tokens: contextTokens,
    ...counts,
    watches: watches.map(
      ({
        deaths,
        end,
        foreseen,
        generations,
        id,
        project,
        recoveries,
        standing,
        state,
        tasks,
        title,
        waits,
        watched
      }) => ({
        id,
        title,
        project,
        state,
        standing,
        end,
        watched_ms: watched,
        generations: generations.map(stretch),
        deaths: deaths.map(({ at, contextTokens, ...death }) => ({
          at: iso(at),
          ...death,
          context_tokens: contextTokens
        })),
        recoveries: recoveries.map(({ contextTokens, launchedAt, steps, takenOver, ...one }) => ({
          ...stretch(one),
          ms: lengthOf(one, until),
          launched_at: time(launchedAt),
          taken_over_at: takenOver.map(iso),
          context_tokens: contextTokens,
          steps: steps.map(stretch)
        })),
        waits: waits.map(stretch),
        limits: foreseen.map((one) => ({ at: iso(one.at), ...limitJson(one) })),
        tasks: tasks.map(taskJson)
      })
    ),
    runs: runs.map(({ commits, completed, id, project, standing, state, tasks, used }) => ({
      id,
      project,
      state,
      standing,
      completed,
      commits,
      used,
      tasks: tasks.map(({ agents, from, to, verdicts, ...task }) => ({
        ...task,
        from: time(from),
        to: time(to),
        gate: verdicts.map(({ at, head, programs, refused }) => ({ at: iso(at), head, programs, refused })),
        agents: agents.map(({ agent: program, attempt, commits, head, outcome, role, ...agent }) => ({
          role,
          program,
          attempt,
          head,
          outcome,
          commits,
          from: iso(agent.from),
          to: time(agent.to)
        }))
      }))
    }))
  }
}
