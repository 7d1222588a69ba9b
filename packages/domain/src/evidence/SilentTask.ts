/** States in which nobody works on a task: it is not claimed yet, or it is over. */
const idle: ReadonlySet<string> = new Set(["watching", "complete", "exited"])

/** Returns whether a heartbeat is expected in this state of a task (spec: behaviour#silent-tasks). */
export const mustBeat = (state: string): boolean => !idle.has(state)

/** The most tasks of a watch that are told, since anyone can write rows. */
export const maxSilentTasks = 100
