import type { Fold } from "@souffleur/eventlog"
import type { WatchEvent } from "../event/WatchEvent.ts"
import { initial, Watch } from "./Watch.ts"
import { evolve } from "./WatchEvolution.ts"

/** The words that watches are found by. */
export const watchKey = {
  project: (folder: string) => `project ${folder}`,
  comms: (file: string) => `comms ${file}`,
  session: (id: string) => `session ${id}`,
  pid: (pid: number) => `pid ${pid}`
}

/** The fields that a list shows of a watch that has ended. */
const brief = [
  "agent",
  "end",
  "firstAgent",
  "generation",
  "lastEventAt",
  "note",
  "overreach",
  "project",
  "retries"
] as const

/** A watch that has ended, as a list shows it. */
export type WatchBrief = Pick<Watch, (typeof brief)[number]>

/** The revisions between two states that are kept along a long watch. */
export const watchMilestone = 250

/**
 * How watches are folded. A test computes the fingerprint from the rules, and fails where it differs
 * (decision 0008).
 */
export const watchFold: Fold<Watch, WatchEvent, keyof WatchBrief> = {
  name: { kind: "watch", fingerprint: "bc209c8d81fe4999" },
  initial,
  evolve,
  schema: Watch,
  keepEvery: 200,
  milestoneEvery: watchMilestone,
  isEnded: ({ phase }) => phase === "Exited",
  keysOf: ({ comms, conductor, project, sessions }) => [
    watchKey.project(project),
    ...(comms === null ? [] : [watchKey.comms(comms)]),
    ...(conductor === undefined ? [] : [watchKey.pid(conductor.pid)]),
    ...sessions.map(watchKey.session)
  ],
  brief
}
