import { evolveRun, workProblemsOf, initialRun, isPersons, roleChoice } from "@souffleur/plan"
import { type Run, type RunEvent, taskOf } from "@souffleur/plan"
import { isSessionKnown, utc, Words, type Zone } from "@souffleur/domain"
import type { RecordedAs } from "@souffleur/eventlog"
import { allReasons, type Explained, type Explanation, lastReason } from "./Explanation.ts"
import { printedEnd, type Reason, reasonLines } from "./Explanation.ts"
import { reasonOfPin } from "./PinReason.ts"
import { runSentence } from "./RunSentence.ts"

type Of<Tag extends RunEvent["_tag"]> = Extract<RunEvent, { readonly _tag: Tag }>

const because = (rule: string, ...seen: ReadonlyArray<string>): Explanation => ({ seen, rule })

const commits = (many: ReadonlyArray<string>) =>
  many.length === 0 ? "no commit" : `the commits ${many.slice(-5).join(", ")}`

const minorLines = (minor: ReadonlyArray<string>) => minor.map((finding) => `minor, and kept for you: ${finding}`)

const rejected = ({ feedback, minor, taskId }: Of<"ReviewRejected">, before: Run): Explanation => {
  const task = taskOf(before, taskId)
  const count = (task?.rejections ?? 0) + 1
  const { models } = roleChoice(before.chosen, before.agreed.agents, "implementer")
  const model = models[(task?.climbed ?? 0) + 1]
  const rules = task?.final
    ? ["the first of a final review: a fresh implementer gets the feedback"]
    : [
        "the first: the same implementer goes on with the feedback",
        `the second: a fresh implementer gets all feedback${model === undefined ? "" : `, with the next model of the plan, ${model}`}`
      ]
  return {
    seen: [
      `the reviewer of attempt ${feedback.attempt}: ${feedback.summary}`,
      ...feedback.issues,
      ...minorLines(minor),
      `rejection ${count} of this task`
    ],
    rule: `rejections are counted: ${rules[count - 1] ?? `the ${task?.final ? "second" : "third"} is a person's`}`
  }
}

const untilAnswered = (taskId: string) =>
  `nothing is asked until: souffleur conduct answer ${taskId} "what to do", or --retry, or --skip`

/** Explains a refusal of work together with the escalation that may follow it. */
const refused = ({ said, taskId }: Of<"WorkRefused">, before: Run): Explanation => {
  const count = (taskOf(before, taskId)?.gateFailures ?? 0) + 1
  return {
    seen: [`refusal ${count} of this task`, ...printedEnd(said)],
    ...(count < 3
      ? {
          rule: "no reviewer is asked about refused work: the session of its implementer goes on with that, and no attempt is counted"
        }
      : { rule: "the third refusal since a rejection is a person's", act: untilAnswered(taskId) })
  }
}

/** Says which agent an assignment had, and for how long it was asked. */
const assigned = (run: Run, { at, token }: { readonly at: number; readonly token: string }): ReadonlyArray<string> => {
  const found = run.assignments.filter((one) => one.token === token)
  return found.map(({ agent, askedAt, role, sessionId }) => {
    const session = isSessionKnown(sessionId) ? ` in session ${sessionId}` : ""
    return `the ${role}${agent === null ? "" : `, ${agent},`}${session} ended ${Words.duration(at - askedAt)} after it was asked`
  })
}

const failed = (
  { _tag, at, reason, message, taskId, token }: Of<"ImplementationFailed" | "ReviewFailed">,
  before: Run
): Explanation => {
  const task = taskOf(before, taskId)
  const count = ((_tag === "ImplementationFailed" ? task?.failures : task?.reviewFailures) ?? 0) + 1
  if (reason === "lost")
    return because(
      "an agent whose end was not seen may have been stopped with its conductor: it counts for nothing, and a fresh agent is asked",
      message
    )
  if (reason === "dropped")
    return because("a task that the plan has lost is forgotten once no agent works on it", message)
  return {
    seen: [message, ...assigned(before, { at, token }), `assignment ${count} in a row that came to nothing`],
    rule: "an assignment that came to nothing is followed by a fresh agent; the third in a row is a person's"
  }
}

const escalations: Readonly<Record<Exclude<Of<"TaskEscalated">["reason"], "gate">, string>> = {
  rejections: "the third rejection is a person's, and of a final review the second",
  blocked: "an implementer that is blocked is a person's at once",
  "implementer failures": "the third assignment in a row that came to nothing is a person's",
  "reviewer failures": "the third assignment in a row that came to nothing is a person's",
  landing: "work that does not go together with the run's branch three times is a person's",
  unproven: "a state file is believed as far as git bears it out: the rest is a person's"
}

const grieved = ({ reason, taskId }: Of<"TaskEscalated">, before: Run) => {
  const task = taskOf(before, taskId)
  return task === undefined ? [] : workProblemsOf(task, reason)
}

const pauses: Readonly<Record<Exclude<Of<"RunPaused">["reason"], "questions" | "red">, string>> = {
  conflict: "no agent works where git has conflicts: a person resolves them",
  dirty:
    "no task begins, and none is complete, while changes are not committed: they would be mixed with the next one's",
  "not gone": "no agent works beside an agent that is not provably gone",
  branch: "a run with a branch of its own begins on that, and touches no branch that is not its own",
  history: "an agent works only on the branch that its task began on: a person says where it goes on",
  plan: "an agent can write the plan: tasks, criteria and the finishing step stay as they were until a person takes others",
  ceiling: "all agents of a run share its ceilings of use, which are asked before each launch: a person allows more",
  deadline: "after its deadline a run finishes the task in hand, and begins no other",
  failed: "souffleur does not guess: a person mends the cause, and the run goes on from its log",
  revert: "rejected commits are taken back whole or not at all: a person resolves what conflicts",
  "work lost": "approved work counts while git has it: work that is gone is not complete"
}

const ending = ({ launchedAt, limit, others, process, reason }: Of<"AgentEnding">, zone: Zone): Explanation => {
  const { pid } = process
  switch (reason) {
    case "lingering":
      return because(
        "an agent that has said its last word and does not end is ended after a stall, or once its time is over, and its word counts",
        `its session's records: its turn is over; process ${pid} runs on`
      )
    case "hung":
      return because(
        "an agent of a run hangs by the evidence of a watch, every sign silent for longer than its stall: it is ended with all that it started, and its session goes on",
        `process ${pid} has given no sign of life for ${Words.duration(limit)}`
      )
    case "stopped":
      return because(
        "the agent of a run that a person stops at once is ended with all that it started: its session is kept, and no attempt is counted",
        `a person stops the run at once; process ${pid} is its agent`
      )
    case "timeout":
      return because(
        "an agent that takes longer than its limit is ended with all that it started; its assignment failed",
        `process ${pid} runs since ${Words.dateAndTime(launchedAt, zone)}; its limit is ${Words.duration(limit)}`,
        others.length === 0 ? "it has started nothing that still runs" : `it has started pid ${others.join(", ")}`
      )
    case "left running":
      return because(
        "no process may write beside the next agent: processes that an agent leaves are ended, and its word counts",
        `process ${pid} has ended; its children still run: pid ${others.join(", ")}`
      )
  }
}

const limited = ({ kind, resetsAt, until }: Of<"AgentLimited">, { waits }: Run, zone: Zone): Explanation => {
  const again = Words.dateAndTime(until, zone)
  return isPersons(kind)
    ? because(
        `a refused ${kind} is no fault of the agent: no attempt is counted, and a person mends it; asked again when the login is renewed, or at ${again}`,
        `its session's records: the service refuses its ${kind}`
      )
    : because(
        `a refusal of the service is no fault of the agent: no attempt is counted; asked again at ${again}`,
        `its session's records: ${kind === "outage" ? "the service is out" : "a usage limit"}`,
        resetsAt === null
          ? `they do not state until when; wait ${waits + 1} in a row`
          : `they state that it ends at ${Words.dateAndTime(resetsAt, zone)}`
      )
}

const finished = ({ message, finishing }: Of<"RunFinished">): Explanation =>
  finishing === "failed"
    ? {
        ...because("a finishing step is asked once, as half of it may be done: a person decides what follows", message),
        act: "souffleur conduct answer --finishing --retry, or --skip"
      }
    : { ...because("every task is complete, and so is the finishing step: the run is over"), act: "the conductor ends" }

/** Explains a decision of a run. `undefined`: the event is no decision. `before`: the run before the event. */
const explain = (event: RunEvent, before: Run, zone: Zone): Explanation | undefined => {
  switch (event._tag) {
    case "ImplementationCompleted":
      return because(
        "an implementer is believed where git has commits that change a file: a reviewer is asked",
        `git has ${commits(event.commits)} since the task began, and ${Words.many(event.files.length, "changed file")}`
      )
    case "ReviewApproved":
      return because(
        "so approved, a task is complete",
        event.summary,
        ...minorLines(event.minor),
        "its session shows that it looked at something; the commit that it was asked about is there"
      )
    case "ReviewRejected":
      return rejected(event, before)
    case "ImplementationFailed":
    case "ReviewFailed":
      return failed(event, before)
    case "WorkRefused":
      return refused(event, before)
    case "PlanQuestioned":
      return because(
        "a plan is questioned once, before its first task: that is an aid, and only a person who is there is waited for",
        ...(event.message === null ? event.questions : [event.message])
      )
    case "LandingRefused":
      return because(
        "approved work lands where it goes together with the run's branch, by git and by the gate: else the session of its implementer goes on with that, and a reviewer judges it once more",
        ...event.message.split("\n").filter((line) => line.trim() !== "")
      )
    case "TreeCleared":
      return event.kept === null
        ? undefined
        : because("a work tree is removed once all of it has landed: this one is a person's", event.kept, event.folder)
    case "BaselineRefused":
      return because(
        "no agent begins where the gate is red already, unless a person allows it: it could not tell whose fault that is",
        ...printedEnd(event.said)
      )
    case "TaskEscalated":
      // The refusal before it is the decision, and says what the program printed.
      if (event.reason === "gate") return undefined
      return {
        seen: [event.message, ...grieved(event, before)],
        rule: escalations[event.reason],
        act: untilAnswered(event.taskId)
      }
    case "AgentNudged":
      return because(
        event.died === null
          ? "an agent that did something and left the rest goes on in its session, once an assignment; no attempt is counted"
          : "an agent that was cut off goes on in its session, until its third death in a row without progress; no attempt is counted",
        event.message,
        ...assigned(before, event)
      )
    case "AgentEnding":
      return ending(event, zone)
    case "AgentLimited":
      return limited(event, before, zone)
    case "AgentReplaced":
      return because(
        `the plan names ${event.by} as the fallback of that role, which begins a session of its own; no attempt is counted, and further work goes to the chosen agent from ${Words.dateAndTime(event.until, zone)} on`,
        `its session's records: ${event.kind === "usage-limit" ? "a usage limit" : `the service refuses its ${event.kind}`}`
      )
    case "WorkChanged":
      return because(
        "the work that is there is reviewed; where nothing is left, the task is implemented again",
        `${commits(event.commits)} since the task began; HEAD is ${event.head ?? "no commit"}, and not what its implementer left`
      )
    case "RunPaused":
      // The event before it is the decision.
      if (event.reason === "red" || event.reason === "questions") return undefined
      return {
        seen: [...event.files, event.message].filter((line) => line !== ""),
        rule: pauses[event.reason],
        act:
          event.reason === "plan"
            ? "it waits until that is put back, or for: souffleur conduct answer --plan"
            : "it waits until that is put right"
      }
    case "AgentNeverRan":
      return because(
        "such a launch is cancelled for ever, and is no attempt: an agent is asked for again",
        "its launch was meant, and no process took its receipt"
      )
    case "RunVerified":
      return because(
        "where every task is complete the finishing step is next",
        `${event.completed} tasks complete, ${event.skipped} skipped`,
        event.missing.length === 0 ? "HEAD has all their commits" : `HEAD no longer has: ${event.missing.join(", ")}`
      )
    case "RunFinished":
      return finished(event)
    case "ConfigOverreached":
    case "ConfigWithdrawn":
    case "TrustGiven":
      return reasonOfPin(event, before)
    default:
      return undefined
  }
}

/** How the events of a run are explained. */
const explained = (zone: Zone): Explained<Run, RunEvent> => ({
  initial: initialRun,
  evolve: evolveRun,
  explain: (event, before) => explain(event, before, zone)
})

/** Explains every decision of a run, of all its events. */
export const runReasonsOf = (
  events: ReadonlyArray<RecordedAs<RunEvent>>,
  zone: Zone = utc
): ReadonlyArray<Reason<RunEvent>> => allReasons(events, explained(zone))

/** Returns the newest decision of a run at or before a revision. */
export const runReasonOf = (
  events: ReadonlyArray<RecordedAs<RunEvent>>,
  upTo: number,
  zone: Zone = utc
): Reason<RunEvent> | undefined => lastReason(events, upTo, explained(zone))

/** Returns lines for a person. */
export const runReasonLines = (reason: Reason<RunEvent>, zone?: Zone): ReadonlyArray<string> =>
  reasonLines(reason, (event) => runSentence(event, "", zone), zone)
