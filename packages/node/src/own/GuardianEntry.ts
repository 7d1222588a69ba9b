import type { ChildProcess } from "node:child_process"
import * as fs from "node:fs"
import { DatabaseSync, type StatementSync } from "node:sqlite"
import { pathToFileURL } from "node:url"
import {
  brokenOff,
  dueWithin,
  endTags,
  guard,
  type GuardAct,
  guardFrom,
  guardianOf,
  type GuardSight,
  type Moment,
  type ProcessIdentity
} from "@souffleur/domain"
import { detached } from "./Detached.ts"
import { hostMoment, waited } from "./HostClock.ts"
import { hostSource, ownIdentity } from "../processes/HostSource.ts"
import { conditionOf } from "../processes/ProcessSource.ts"

/** Order of a guardian, as JSON in its one argument. */
export interface GuardianOrder {
  /** Absolute path of souffleur's own store. */
  readonly database: string
  readonly watch: string
  /** Command that brings souffleur back. One argument is appended: `<cause>:<fence>`. */
  readonly line: readonly [string, ...ReadonlyArray<string>]
  /** Absolute path of the file for the output of a restored souffleur. */
  readonly output: string
  /** Milliseconds without a beat after which souffleur is silent. */
  readonly silentAfter: number
  /** Milliseconds between two checks. */
  readonly every: number
}

/** Returns the name of a guardian in its own beats. */
export const guardianName = ({ bootId, pid, startTime }: ProcessIdentity): string =>
  `guardian/${pid}/${startTime}/${bootId}`

/** Returns the guardian of such a beat. `undefined`: the name is no guardian's. */
export const guardianNamed = (name: string): ProcessIdentity | undefined => {
  const [kind, pid, startTime, bootId] = name.split("/")
  return kind === "guardian" && bootId !== undefined
    ? { pid: Number(pid), startTime: Number(startTime), bootId }
    : undefined
}

interface Row {
  readonly revision: number
  readonly tag: string
  readonly data: string
}

type Owner = { readonly fence: number; readonly process: ProcessIdentity } | "left" | undefined

/** The exit code of a souffleur whose event log cannot be used (spec: command-line#exit-codes). */
const shutOutCode = 4

/** The store as a guardian needs it: three statements, without a schema, in little memory. */
class Store {
  readonly #owned: StatementSync
  readonly #beat: StatementSync
  readonly #say: StatementSync
  readonly #watch: string
  #revision = 0
  #owner: Owner

  constructor({ database, watch }: GuardianOrder) {
    this.#watch = watch
    const opened = new DatabaseSync(`${pathToFileURL(database).href}?mode=rw`, { timeout: 50 })
    // Only beats are written here, and a beat that is lost in a power cut does no harm.
    opened.exec("PRAGMA synchronous = NORMAL")
    // They run each second for as long as the watch does.
    this.#owned = opened.prepare(
      "SELECT revision, tag, data FROM events WHERE stream = ? AND revision > ? ORDER BY revision"
    )
    this.#beat = opened.prepare(
      `SELECT role, max(0, min(${Number.MAX_SAFE_INTEGER}, at)) AS at FROM beats WHERE watch = ?`
    )
    this.#say = opened.prepare(
      "INSERT INTO beats (watch, role, at) VALUES (?, ?, ?) ON CONFLICT (watch) DO UPDATE SET role = excluded.role, at = excluded.at"
    )
  }

  /** Returns the current owner of the watch. `undefined`: it has no owner yet. */
  owner(): Owner {
    // One row at a time: a watch may have tens of thousands of events.
    const rows = this.#owned.iterate(this.#watch, this.#revision) as unknown as Iterable<Row>
    for (const { data, revision, tag } of rows) {
      this.#revision = revision
      if (tag === "OwnerTook") {
        const { fence, owner } = JSON.parse(data) as {
          readonly fence: number
          readonly owner: { readonly process: ProcessIdentity }
        }
        this.#owner = { fence, process: owner.process }
      } else if (tag === "OwnerLeft" || tag === "GuardianGaveUp" || endTags.has(tag)) this.#owner = "left"
    }
    return this.#owner
  }

  beat(watch: string): { readonly role: string; readonly at: number } | undefined {
    return this.#beat.get(watch) as { readonly role: string; readonly at: number } | undefined
  }

  say(watch: string, role: string, at: number): void {
    this.#say.run(watch, role, at)
  }
}

const conditionNow = (identity: ProcessIdentity): (GuardSight["owner"] & object)["condition"] => {
  if (identity.bootId !== hostSource?.bootId()) return "gone"
  const stat = hostSource.stat(identity.pid)
  return stat?.startTime === identity.startTime ? conditionOf(stat) : "gone"
}

/**
 * Runs an act, and returns `undefined` where it throws. The next check tries again: a locked or full store proves
 * nothing about souffleur.
 */
const attempt = <A>(act: () => A): A | undefined => {
  try {
    return act()
  } catch {
    return undefined
  }
}

/** SQLite reports so when it had no room on the disk (sqlite.org/rescode.html, SQLITE_FULL). */
const meansNoRoom = (error: unknown): boolean =>
  error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 13

/**
 * Makes the guardian of a watch: what it does at each of its looks (spec: behaviour#guardian). A look returns whether
 * something is left to guard. It is not once souffleur has left, or another guardian has taken the place. It is a
 * process of its own, which beats in the same store. It decides nothing about the Conductor. It signals only a
 * souffleur that it has started.
 */
export const makeGuardian = (order: GuardianOrder, first: Moment): ((now: Moment) => boolean) => {
  const own = ownIdentity()
  if (own === undefined) return () => false
  const [place, name] = [guardianOf(order.watch), guardianName(own)]
  let child: ChildProcess | undefined
  let cannot = false

  const startState = () => {
    if (child === undefined || cannot || child.signalCode !== null) return "ended"
    return child.exitCode === null ? "running" : child.exitCode === shutOutCode ? "shut out" : "ended"
  }
  const act = (what: GuardAct): boolean => {
    if (what._tag === "EndStarted") child?.kill("SIGKILL")
    if (what._tag === "Restore") {
      cannot = false
      child = attempt(() => {
        const line = [...order.line, `${what.reason}:${what.over}`] as const
        return detached({ line: [line[0], ...line.slice(1)], environment: process.env }, process.cwd(), {
          output: order.output
        })
      })
      child?.on("error", () => (cannot = true))
    }
    if (what._tag === "GiveUp") process.stderr.write("souffleur could not be brought back: see what it said above\n")
    return what._tag !== "Leave" && what._tag !== "GiveUp"
  }

  let last = first
  let said = -Infinity
  /** The last beat of this guardian found no room. A beat of souffleur finds none either, so its lack says nothing. */
  let full = false
  const store = new Store(order)
  attempt(() => store.say(place, name, last.wall))
  let state = guardFrom(0, last.wall)
  return (now) => {
    const late = brokenOff(last, now, dueWithin(order.every, order.silentAfter))
    last = now
    if (!fs.existsSync(order.database)) return false
    // SQLite may lose a minute in memory without harm: readers of these beats are as patient as this guardian.
    if (now.wall - said > order.silentAfter / 6 || now.wall < said) {
      try {
        store.say(place, name, now.wall)
        said = now.wall
        full = false
      } catch (error) {
        full = meansNoRoom(error)
      }
      // V8 would let young garbage grow to a megabyte. A flag of Node's alone brings the function.
      globalThis.gc?.({ type: "minor", execution: "sync" })
    }
    const seen = attempt(() => ({ owner: store.owner(), beat: store.beat(order.watch), mine: store.beat(place) }))
    if (seen?.owner === undefined) return true
    if (seen.mine !== undefined && seen.mine.role !== name) return false
    const [after, what] = guard(
      state,
      {
        now: now.wall,
        late: late || full,
        owner:
          seen.owner === "left" ? "left" : { fence: seen.owner.fence, condition: conditionNow(seen.owner.process) },
        beatAt: seen.beat?.at ?? null,
        started: startState()
      },
      order.silentAfter
    )
    state = after
    return act(what)
  }
}

/**
 * Guards as a whole process: its one argument is the order, as JSON. It is in memory as long as a watch, so that it
 * loads nothing of Effect.
 */
export const guardian = async (argument: string): Promise<void> => {
  const order = JSON.parse(argument) as GuardianOrder
  const look = makeGuardian(order, hostMoment())
  do await waited(order.every)
  while (look(hostMoment()))
}
