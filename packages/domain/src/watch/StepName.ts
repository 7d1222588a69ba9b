/**
 * The names of recovery steps that rules speak of. They are in the log for ever: a step of another meaning gets another name
 * (decision 0002).
 */
export const compactAttempts = ["compact#1", "compact#2"] as const

/**
 * A step that starts a successor: from an export, of a compacted session, of a session whose turn ended, by a program's word, from a small
 * hand-off; a command that is run again.
 */
export const launchSteps = ["6 launch", "resume", "continue", "launch by program", "launch from hand-off", "restart"] as const
export type LaunchStep = (typeof launchSteps)[number]
