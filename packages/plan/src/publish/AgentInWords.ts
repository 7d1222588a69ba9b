import { mendedBy, type ModelChoice, Words, type Zone } from "@souffleur/domain"
import type { AgentReplaced } from "../run/RunEvent.ts"

/** Says which agent was chosen, and with what. */
export const byWhom = (agent: string | undefined, { effort, model }: ModelChoice = {}): string => {
  const what = [...(model === undefined ? [] : [model]), ...(effort === undefined ? [] : [`effort ${effort}`])]
  const by = [
    ...(agent === undefined ? [] : [`by ${agent}`]),
    ...(what.length === 0 ? [] : [`with ${what.join(", ")}`])
  ]
  return by.length === 0 ? "" : `, ${by.join(" ")}`
}

/** Says who is asked in place of an agent that the service refuses, and until when. */
export const replacedInWords = (
  { agent, at, by, kind, resetsAt, role, taskId, until }: typeof AgentReplaced.Type,
  zone?: Zone
): string => {
  const why = kind === "usage-limit" ? "by a usage limit" : `for its ${kind}`
  const whose = `as ${role}${taskId === null ? "" : ` of task ${taskId}`}`
  const when = `${Words.deadline(until, at, zone)}${resetsAt === null ? ", a guess" : ""}`
  return `the service refuses ${agent ?? "the configured agent"} ${why}: ${by}, the fallback, is asked ${whose}, until ${when}${kind === "usage-limit" ? "" : `; ${mendedBy[kind]}`}. No attempt is counted`
}
