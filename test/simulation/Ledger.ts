import { type EventLog, evolve, initial, rolesOf, type Watch, type WatchEvent, watchFold } from "@souffleur/domain"
import { type EndedWorld, endedTurns, saidToBeDone } from "./EndJudge.ts"
import type { SimProcess } from "./ProcessTable.ts"
import { asked, secret } from "./SimulatedAgent.ts"
import { SimLog } from "./SimLog.ts"
import { SnapshotJudge } from "./SnapshotJudge.ts"
import { minute } from "./Timeline.ts"
import type { SimulatedComms } from "./SimulatedComms.ts"
import type { CapJudge } from "./CapJudge.ts"
import type { LimitJudge } from "./LimitJudge.ts"
import type { Oracle } from "./Oracle.ts"
import type { TryJudge } from "./TryJudge.ts"

/** The part of a world that its log is compared with. */
export interface LedgerWorld extends EndedWorld {
  readonly comms: SimulatedComms
  readonly id: string
  readonly judge: { anew(): void }
  readonly caps: CapJudge
  readonly limitJudge: LimitJudge
  readonly oracle: Oracle
  readonly tries: TryJudge
  readonly solo: unknown
  readonly check: { readonly noes: number; readonly asked: number } | undefined
  finished: boolean
  released: boolean
  stopped: boolean
  readonly living: ReadonlyArray<SimProcess>
}

/** The ends of a recovery cycle, and of the watch. */
const endsCycle: ReadonlySet<WatchEvent["_tag"]> = new Set([
  "ConductorRelaunched",
  "ConductorAdopted",
  "RecoveryFailedClosed",
  "RetriesExhausted",
  "ConductorCompleted",
  "WatchReleased",
  "WatchStopped"
])

/** Keeps the log of the watch, and judges each append by the truth of the world then. */
export class Ledger {
  watch: Watch = initial
  readonly events: Array<WatchEvent> = []
  /** The time at which the end of the watch was acknowledged, on the monotonic clock. */
  endedAt: number | undefined = undefined
  /** True if the guardian has said its last word: there is no watch any more. */
  gaveUp = false
  readonly #world: LedgerWorld
  readonly log: EventLog["Service"]
  readonly #snapshots: SnapshotJudge<Watch, WatchEvent>

  constructor(world: LedgerWorld) {
    this.#world = world
    this.log = new SimLog(world.id, (event) => this.#record(event)).service
    this.#snapshots = new SnapshotJudge(watchFold, this.log, (what) => world.violated(what))
  }

  count(tag: WatchEvent["_tag"]): number {
    return this.events.filter(({ _tag }) => _tag === tag).length
  }

  /** Payloads that a successor was launched with, by file and number. */
  readonly #consumed = new Set<string>()
  /** The file that the payload of the running cycle was read from. */
  #readFrom = 0

  #consume({ recovery }: Watch): void {
    const request = recovery?.steps["0 payload"]
    if (request?._tag !== "Succeeded") return
    const { messageId } = request.outcome as { readonly messageId: number | null }
    if (messageId === null) return
    const payload = `${messageId} of file ${this.#readFrom}`
    if (this.#consumed.has(payload)) this.#world.violated(`payload ${payload} was consumed twice`)
    this.#consumed.add(payload)
  }

  /** The time of the last event, monotonic. */
  #saidAt = -Infinity

  #record(event: WatchEvent): void {
    this.#judge(event)
    this.#snapshots.record(this.#world.id, this.watch, endsCycle.has(event._tag))
    this.#saidAt = this.#world.timeline.monotonic
  }

  #judge(event: WatchEvent): void {
    const world = this.#world
    const text = JSON.stringify(event)
    if (text.includes(secret) || text.includes(asked)) world.violated("the conversation is in the log")
    if (event._tag === "OwnerTook" || event._tag === "GuardianGaveUp") this.gaveUp = event._tag === "GuardianGaveUp"
    const before = this.watch
    const watch = evolve(before, event)
    this.watch = watch
    this.events.push(event)
    world.faults.record(event)
    world.oracle.record(before, event)
    world.caps.record(before, event)
    world.limitJudge.record(event)
    world.tries.record(before, event, watch)
    if (!world.silent) world.tell(`${watch.revision} ${event._tag} ${text.slice(0, 160)}`)

    if (
      watch.phase === "Watching" &&
      !settlesLater(event) &&
      rolesOf(watch).every((role) => role.startsWith("bootstrap/"))
    ) {
      world.violated(`nobody guards the watch after ${event._tag}`)
    }
    if (event._tag === "RecoveryStarted") world.comms.isUntold = false
    if (event._tag === "StepSucceeded" && event.step === "0 payload") this.#readFrom = world.comms.file
    switch (event._tag) {
      case "ConductorConfirmed":
      case "ConductorAdopted":
      case "ConductorRelaunched": {
        if (event._tag === "ConductorAdopted") {
          world.judge.anew()
          for (const conductor of world.conductors)
            conductor.superseded = !sameAs(conductor.process.identity, event.conductor)
          // It is the Conductor still, and its handoff is not done: it works on.
          world.conductors.find(({ process }) => sameAs(process.identity, event.conductor))?.worksOn()
        }
        if (event._tag === "ConductorRelaunched") this.#consume(before)
        const { conductor } = event
        // Only a program of the user launches a process that is not known.
        if (conductor === null) return world.violated("the process of a successor is not known")
        const known = world.conductors.find(({ process }) => sameAs(process.identity, conductor))
        if (known !== undefined) known.followed = true
        else world.violated(`the recorded Conductor ${conductor.pid} never was one`)
        if (
          event._tag === "ConductorRelaunched" &&
          known?.process.environment["SOUFFLEUR_LAUNCH_ID"] !== event.launchId
        )
          world.violated(`the recorded Conductor ${conductor.pid} is of another launch`)
        return
      }
      case "ConductorResolved": {
        const found = world.conductors.find(({ process }) => sameAs(process.identity, event.conductor))
        if (found === undefined || !found.isAlive || found.sessionId !== before.sessionId)
          world.violated("whom the watch follows again does not hold its session")
        else found.followed = true
        return
      }
      case "ConductorIdle": {
        const told = world.conductors.find(
          ({ process }) => before.conductor !== undefined && sameAs(process.identity, before.conductor)
        )
        const until = told?.rest?.until ?? -Infinity
        if (!world.lies.about.has(before.sessionId) && !world.isOverslept(until) && until < this.#saidAt - 5 * minute)
          world.violated("an agent that works, or has used up its cap, was told as idle")
        return
      }
      case "CheckStarted": {
        const at = world.conductors.find(
          ({ process }) => before.conductor !== undefined && sameAs(process.identity, before.conductor)
        )?.cappedSince
        const isAsked = (before.standby ?? before.wait) !== undefined || world.lies.about.has(before.sessionId)
        if (at !== undefined && !isAsked && !world.isOverslept(at) && at < world.timeline.monotonic - 5 * minute)
          world.violated("an agent at its cap was taken for one that is done")
        return
      }
      case "TurnEnded":
      case "EndedEarly":
        if (event._tag === "EndedEarly" && event.reason === "unconfirmed" && rests(world, before)) return
        if (endedTurns(world, before).length === 0) world.violated("a turn ended that did not")
        return
      case "ConductorDied":
        if (event.reason === "pid" && before.conductor === undefined)
          world.violated("a process that is not known was found to be gone")
        // A finished turn is no death, unless souffleur could not know of it. It cannot know outside print mode, or in
        // a session that no poll had found yet. Nor can it where another agent has the pid, or goes on with the session.
        // Nor can it where the turn ended while souffleur was stopped, between its look and its word.
        if (event.reason === "pid" && before.print) {
          const last = world.conductors.findLast(({ process }) => process.identity.pid === before.conductor!.pid)
          const known =
            last !== undefined &&
            sameAs(last.process.identity, before.conductor!) &&
            before.sessions.includes(last.sessionId)
          const endedAt = last === undefined ? undefined : world.writerOf(last.sessionId)?.turnEndedAt
          if (
            known &&
            last.turnEnded &&
            endedAt !== undefined &&
            !world.isOverslept(endedAt) &&
            !world.lies.about.has(last.sessionId)
          )
            world.violated("a finished turn was taken for a death")
        }
        return
      case "ConductorCompleted":
        if (world.check !== undefined && event.by !== "agent" && event.by !== "operator") {
          if (event.by !== "program" || world.check.asked <= world.check.noes)
            world.violated(`the work is complete by ${event.by}, and no program has said so`)
        } else if (
          !(world.finished && (event.by === "agent" || event.by === "operator")) &&
          !isComplete(world, before, this.#saidAt)
        )
          world.violated("the watch ended as completed, and nothing is complete")
        break
      case "RetriesExhausted":
        if (before.retries < 3) world.violated(`retries are exhausted after ${before.retries} deaths`)
        break
      case "WatchReleased":
        if (!world.released) world.violated("the watch was released by nobody")
        break
      case "WatchStopped":
        if (event.limit === null && !world.stopped) world.violated("the watch was stopped by nobody")
        if (world.living.some(({ identity }) => before.conductor !== undefined && sameAs(identity, before.conductor)))
          world.violated("an agent lives on after its watch was stopped")
        break
      case "ValidationExhausted":
        if (before.failures.length < 3)
          world.violated(`validation is exhausted after ${before.failures.length} failures`)
        break
      default:
        return
    }
    this.endedAt = world.timeline.monotonic
  }
}

/**
 * Says whether the watch is complete. With comms somebody has said so, and wrote over it at the most while souffleur
 * said nothing any more. A souffleur that was stopped after its look says what it saw. Without comms, a process that
 * ended by itself has said so.
 */
const isComplete = (world: LedgerWorld, watch: Watch, saidAt: number): boolean =>
  world.solo === undefined
    ? world.comms.conductor?.state === "complete" || world.comms.completeUntil > saidAt
    : [saidAt, world.timeline.monotonic, world.sleptFrom].some(
        (at) => at !== undefined && saidToBeDone(world, watch, at)
      )

/** Says whether the Conductor has been at its prompt, or lied so, of which a program may have found the work undone. */
const rests = ({ check, conductors, lies }: LedgerWorld, { conductor, sessionId, unconfirmed }: Watch): boolean =>
  check !== undefined &&
  unconfirmed !== undefined &&
  conductors.some(
    ({ process, rest }) =>
      conductor !== undefined &&
      (rest !== undefined || lies.about.has(sessionId)) &&
      sameAs(process.identity, conductor)
  )

/** Says whether the event is the first of two of one append. The second brings the watcher or the recovery. */
const settlesLater = ({ _tag }: WatchEvent): boolean =>
  _tag === "ConductorDied" ||
  _tag === "ContextRecoveryRequested" ||
  _tag === "HandoffRequested" ||
  _tag === "TurnEnded" ||
  _tag === "EndedEarly" ||
  _tag === "ConductorAdopted" ||
  _tag === "RecoveryRetried" ||
  _tag === "WatcherLost" ||
  _tag === "SessionIdFound" ||
  _tag === "ConductorUnresolved" ||
  _tag === "ConductorResolved" ||
  _tag === "ConductorRelaunched" ||
  _tag === "RecoveryFailedClosed" ||
  _tag === "RecoveryWithheld" ||
  _tag === "SelfMonitorStopped"

const sameAs = (
  a: { readonly pid: number; readonly startTime: number },
  b: { readonly pid: number; readonly startTime: number }
) => a.pid === b.pid && a.startTime === b.startTime
