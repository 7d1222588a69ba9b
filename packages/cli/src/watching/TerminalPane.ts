import { Processes, type ProcessIdentity } from "@souffleur/domain"
import { runProgram } from "@souffleur/process"
import { Effect, Option } from "effect"
import { ChildProcess } from "effect/process"
import { Environment } from "../world/CommandEnvironment.ts"

/** A pane of tmux, by its id, and its session. */
interface Pane {
  readonly pane: string
  readonly session: string
}

/** Runs a command of a terminal. `None`: the terminal does not answer. kitty starts slowly on a busy machine. */
const ask = (command: string, args: ReadonlyArray<string>) =>
  Effect.option(runProgram({ command, args, stdin: "", within: "10 seconds", atMost: 1_000_000 }))

/** Returns the process and its ancestors, nearest first. A terminal starts an agent directly or through a shell. */
const lineage = Effect.fnUntraced(function* (process: ProcessIdentity) {
  const processes = yield* Processes
  const pids: Array<number> = []
  if ((yield* processes.condition(process)) === "gone") return pids
  for (let pid = process.pid; pid > 1 && !pids.includes(pid);) {
    pids.push(pid)
    const found = yield* processes.find(pid)
    pid = Option.match(found, { onNone: () => 0, onSome: ({ parent }) => parent })
  }
  return pids
})

const paneOf = Effect.fnUntraced(function* (pids: ReadonlyArray<number>) {
  const listed = yield* ask("tmux", ["list-panes", "-a", "-F", "#{pane_pid} #{pane_id} #{session_name}"])
  const panes = Option.getOrElse(listed, () => "").split("\n")
  for (const pid of pids) {
    const [, pane, ...session] = panes.find((line) => line.startsWith(`${pid} `))?.split(" ") ?? []
    if (pane !== undefined) return Option.some<Pane>({ pane, session: session.join(" ") })
  }
  return Option.none<Pane>()
})

type Variables = Readonly<Record<string, string | undefined>>

/** Returns whether souffleur was started in a terminal that can be asked for its windows. */
export const hasWindows = (variables: Variables): boolean =>
  [variables["TMUX"], variables["KITTY_LISTEN_ON"]].some((place = "") => place !== "")

/**
 * Shows the pane: in the current tmux, or in a new one where there is a terminal. Otherwise it returns a sentence that
 * says how to go there.
 */
const goToPane = Effect.fnUntraced(function* ({ pane, session }: Pane) {
  const { interactive, variables } = yield* Environment
  yield* ask("tmux", ["select-window", "-t", pane])
  yield* ask("tmux", ["select-pane", "-t", pane])
  if ((variables["TMUX"] ?? "") !== "" && Option.isSome(yield* ask("tmux", ["switch-client", "-t", pane])))
    return "there"
  // A tmux session within tmux would confuse a person.
  if (interactive && (variables["TMUX"] ?? "") === "") {
    const io = { stdin: "inherit", stdout: "inherit", stderr: "inherit", detached: false } as const
    const code = yield* Effect.scoped(
      Effect.flatMap(ChildProcess.make("tmux", ["attach-session", "-t", pane], io), (tmux) => tmux.exitCode)
    )
    if (code === 0) return "there"
  }
  return `it runs in tmux, session ${session}: tmux attach-session -t '${pane}'`
})

/** Shows the first window of kitty that matches. */
const inKitty = Effect.fnUntraced(function* (matches: ReadonlyArray<string>) {
  const { variables } = yield* Environment
  if ((variables["KITTY_LISTEN_ON"] ?? "") === "") return false
  for (const match of matches)
    if (Option.isSome(yield* ask("kitty", ["@", "focus-window", "--match", match]))) return true
  return false
})

/**
 * Goes to the terminal window of a process. Returns `Some("there")`, or `Some` sentence that says how to go. `None`: no
 * terminal that answers has the process.
 */
export const goTo = Effect.fn("Place.goTo")(function* (process: ProcessIdentity) {
  const pids = yield* lineage(process)
  const pane = pids.length === 0 ? Option.none() : yield* paneOf(pids)
  if (Option.isSome(pane)) return Option.some(yield* goToPane(pane.value))
  return (yield* inKitty(pids.map((pid) => `pid:${pid}`))) ? Option.some("there") : Option.none()
})

/** Returns a command that goes to the tmux server of a process; `None`: it is in none. */
export const wayToTmux = Effect.fn("Place.wayToTmux")(function* (process: ProcessIdentity) {
  const pids = yield* lineage(process)
  const inTmux = yield* (yield* Processes).carriers("TMUX")
  const found = inTmux.find(({ identity }) => pids.includes(identity.pid))
  const [socket = ""] = (found?.value ?? "").split(",")
  return /^\/[\w./-]+$/u.test(socket) ? Option.some(`tmux -S ${socket} attach`) : Option.none()
})

/** Goes to the window that this command was started from. `None`: no terminal that answers has one. */
export const goToOwn = Effect.fn("Place.goToOwn")(function* () {
  const { variables } = yield* Environment
  const [pane = "", window = ""] = [variables["TMUX_PANE"], variables["KITTY_WINDOW_ID"]]
  const session = pane === "" ? Option.none() : yield* ask("tmux", ["display-message", "-p", "-t", pane, "#S"])
  // tmux succeeds and prints nothing for a pane that is gone.
  if (Option.isSome(session) && session.value.trim() !== "")
    return Option.some(yield* goToPane({ pane, session: session.value.trim() }))
  return window !== "" && (yield* inKitty([`id:${window}`])) ? Option.some("there") : Option.none()
})
