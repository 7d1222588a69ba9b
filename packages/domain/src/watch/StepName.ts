/**
 * Names the recovery steps that several files use. A provider names its other steps itself. A name is in the log for
 * ever: a step with another meaning gets another name (decision 0002).
 */
export const stepNames = {
  request: "0 payload",
  stop: "1 stop",
  session: "look at the session",
  export: "2 export",
  trim: "3 trim",
  estimate: "4 estimate",
  beginAgain: "begin_again",
  recoveryCommand: "recovery_command"
} as const

/**
 * Names the attempts of a compaction, in their order. The second follows only a failure. The schedule and the decider
 * count by it.
 */
export const compactAttempts = ["compact#1", "compact#2"] as const
