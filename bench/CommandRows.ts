import { here } from "./StoreFile.ts"

/** The words of a command in a bench, or the reason why it has no row there. */
export type Rows = Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>> | string>>

const server = "serves until it is ended"
const terminal = "needs a terminal, or another program to show"
const hub = "waits for a hub or for Postgres, which `hub` measures"
const group = "its parts have rows"
/**
 * How `start` measures each command: on a store of one short watch. No watch is called `nobody`. A command of which
 * each use changes something is refused there, once it has loaded and looked.
 */
export const startRows: Rows = {
  watch: [["watch", "--dry-run", "--pid", "1", "--session-id", "nobody"]],
  run: [["run", "--dry-run", "--", "true"]],
  status: [["status"]],
  log: [["log"]],
  state: [["state"]],
  why: [["why"]],
  done: [["done", "nobody"]],
  mcp: server,
  release: [["release", "nobody"]],
  stop: [["stop", "nobody"]],
  resume: [["resume", "nobody"]],
  retry: [["retry", "nobody"]],
  hold: [["hold", "nobody"]],
  go: [["go", "nobody"]],
  adopt: [["adopt", "nobody", "--pid", "1"]],
  output: [["output", "nobody"]],
  attach: [["attach", "nobody"]],
  page: server,
  top: [["top"]],
  fleet: group,
  "fleet join": hub,
  "fleet leave": hub,
  "fleet status": hub,
  "fleet rename": hub,
  "fleet ship": hub,
  "fleet take": hub,
  "fleet login": hub,
  "fleet logout": hub,
  "fleet retry": hub,
  "fleet stop": hub,
  "fleet release": hub,
  "fleet done": hub,
  "fleet hold": hub,
  "fleet go": hub,
  hub: group,
  "hub serve": server,
  "hub enrol": hub,
  "hub revoke": hub,
  "hub hosts": hub,
  "hub status": hub,
  "hub person": group,
  "hub person add": hub,
  "hub person revoke": hub,
  "hub person list": hub,
  service: group,
  "service install": "changes the services of the machine",
  "service status": "waits for the service manager",
  "service uninstall": "changes the services of the machine",
  conduct: [["conduct", "nothing.md", "--dry-run"]],
  "conduct plan": [["conduct", "plan", "nothing.md"]],
  "conduct status": [["conduct", "status", "--all"]],
  "conduct log": [["conduct", "log", "--run", "nobody"]],
  "conduct why": [["conduct", "why", "--run", "nobody"]],
  "conduct answer": [["conduct", "answer", "task", "words", "--run", "nobody"]],
  report: [["report"]],
  metrics: [["metrics"]],
  traces: [["traces", "--json"]],
  doctor: "runs other programs, and reads each event of the log",
  config: [["config"]],
  init: [["init"]],
  setup: terminal,
  hooks: group,
  "hooks install": [["hooks", "install"]],
  "hooks uninstall": [["hooks", "uninstall"]],
  "hooks status": [["hooks", "status"]],
  plugin: group,
  "plugin install": [["plugin", "install"]],
  "plugin uninstall": [["plugin", "uninstall"]],
  "plugin status": [["plugin", "status"]],
  notify: [["notify"]],
  export: [["export", "nobody"]],
  estimate: [["estimate", "nothing.md"]],
  compact: [["compact", "nobody"]],
  demo: "plays for half a minute",
  "demo conduct": "plays for half a minute",
  "demo fleet": hub,
  completions: group,
  "completions install": [["completions", "install", "bash"]],
  "completions uninstall": [["completions", "uninstall", "bash"]],
  "completions ids": [["completions", "ids", "watches"]],
  uninstall: [["uninstall", "--dry-run"]],
  help: [["help", "status"]]
}

const ends = "has a row of its own, with a watch for each round"
const noStore = "reads no store"
const seldom = "acts once; its search for the watch is that of `hold`"

/**
 * How `store` measures each command. `log` prints as many lines as there are events: its time is that of the first
 * line. A range or an age of it is measured to its end. The whole is measured for no other command.
 */
export const storeRows: Rows = {
  watch: [["watch", "--dry-run", "--pid", "1", "--session-id", "nobody"]],
  run: "has a row of its own, until it watches",
  status: [["status"], ["status", "--json"], ["status", "--all"], ["status", here.id]],
  log: [["log"], ["log", "--all"], ["log", "--since", "1m"], ["log", "--from", "999990"]],
  state: [["state"], ["state", "--at", "20"], ["state", here.id, "--json"]],
  why: [["why"], ["why", here.id], ["why", here.id, "20"]],
  done: ends,
  mcp: "has a row for each of its tools",
  release: ends,
  stop: "ends an agent, however long that takes",
  resume: seldom,
  retry: seldom,
  hold: "has a row with `go`",
  go: "has a row with `hold`",
  adopt: seldom,
  output: "reads each event of its watch, as `log` does",
  attach: [["attach", here.id]],
  page: "has the bench `page`",
  top: [["top"], ["top", "--json"]],
  ...Object.fromEntries(
    Object.keys(startRows)
      .filter((name) => /^(?:fleet|hub|service|hooks|plugin|completions|demo)\b/u.test(name))
      .map((name) => [name, /^(?:fleet|hub)/u.test(name) ? hub : noStore])
  ),
  "completions ids": [["completions", "ids", "watches"]],
  conduct: seldom,
  "conduct plan": noStore,
  "conduct status": [["conduct", "status", "--all"]],
  "conduct log": "has the run alone, and its events as `log` has",
  "conduct why": "reads one run, which has a few hundred events",
  "conduct answer": seldom,
  report: [["report"], ["report", "--json"]],
  metrics: [["metrics"]],
  traces: [["traces", "--json"]],
  doctor: "reads each event and each page of the file, which is its work",
  config: noStore,
  init: noStore,
  setup: noStore,
  notify: noStore,
  export: noStore,
  estimate: noStore,
  compact: seldom,
  uninstall: seldom,
  help: noStore
}

/** Returns the rows of the commands that have some. */
export const measured = (rows: Rows): ReadonlyArray<ReadonlyArray<string>> =>
  Object.values(rows).flatMap((words) => (typeof words === "string" ? [] : words))
