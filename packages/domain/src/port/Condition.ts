/** The current state of the process with an identity. `gone` also means that another process has its pid. */
export type Condition = "running" | "stopped" | "zombie" | "gone"

/** Returns whether the process has stopped doing anything. A zombie only waits for its parent. */
export const isOver = (condition: Condition | undefined): boolean => condition === "gone" || condition === "zombie"
