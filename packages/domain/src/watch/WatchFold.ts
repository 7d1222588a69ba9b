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

/**
 * How watches are folded. A test computes the fingerprint from the rules, and fails where it differs
 * (decision 0008).
 */
export const watchFold: Fold<Watch, WatchEvent> = {
  name: { kind: "watch", fingerprint: "a586ea2a36b5cf44" },
  initial,
  evolve,
  schema: Watch,
  keepEvery: 200,
  isEnded: ({ phase }) => phase === "Exited",
  keysOf: ({ comms, conductor, project, sessions }) => [
    watchKey.project(project),
    ...(comms === null ? [] : [watchKey.comms(comms)]),
    ...(conductor === undefined ? [] : [watchKey.pid(conductor.pid)]),
    ...sessions.map(watchKey.session)
  ]
}
