import type { LaunchOrder, ResolvedSettings } from "@souffleur/domain"
import { Predicate } from "effect"
import { compactPrompt } from "./SimAgent.ts"
import { type Conductor, secret } from "./SimulatedAgent.ts"
import { minute } from "./Timeline.ts"
import type { SimMachine } from "./SimMachine.ts"
import type { SimulatedComms } from "./SimulatedComms.ts"
import type { Ledger } from "./Ledger.ts"
import type { Lies } from "./Liar.ts"
import type { Oracle } from "./Oracle.ts"
import type { SimProcess } from "./ProcessTable.ts"

/** The part of a world that a launch is judged by. */
export interface LaunchWorld extends SimMachine {
  readonly byHand: ReadonlySet<Conductor>
  readonly comms: SimulatedComms
  readonly conductors: ReadonlyArray<Conductor>
  readonly ledger: Ledger
  readonly lies: Lies
  readonly living: ReadonlyArray<SimProcess>
  readonly oracle: Oracle
  readonly settings: Partial<ResolvedSettings>
  readonly check: { readonly noes: number } | undefined
  readonly steadyClock: boolean
  sessionFile(sessionId: string): string
  transcriptOf(sessionId: string): string
}

/** Judges each launch: it tells the violations, which must never be at a launch, or after one. */
export class LaunchJudge {
  readonly #world: LaunchWorld
  /** The start of each launcher, on the monotonic clock. */
  readonly #spawned = new Map<string, number>()
  /** The number of compactions that started, by cycle. */
  readonly #compacted = new Map<number, number>()
  /** Conductors of a person who sees that another one runs, and ends theirs. */
  readonly #leaving = new Set<Conductor>()
  #resumed: { readonly at: number; readonly waits: number } | undefined
  /** The tasks as they were at each launch. A command shows no progress except that it ran for long. */
  #launches: Array<string> = []
  #longRuns = 0

  constructor(world: LaunchWorld) {
    this.#world = world
  }

  /**
   * Begins to count the launches in a row from a Conductor that a person started. Tasks that were out of sight then
   * count as progress later, once.
   */
  anew(): void {
    const { comms } = this.#world
    this.#launches = comms.trouble === undefined ? [this.#tasks] : []
  }

  /** The tasks as they are in the file that is there. Work that was done before this file came was progress. */
  get #tasks(): string {
    const { comms } = this.#world
    return `${comms.file} ${comms.fingerprint} ${this.#longRuns}`
  }

  #byHand() {
    return [...this.#world.byHand].filter(({ isAlive }) => isAlive)
  }

  /**
   * Judges the start of a launcher. Until now there was time to see who else holds the session. A souffleur that was
   * stopped after its last look had time until that look (docs/reliability.md, not promised).
   */
  spawned(id: string, lookedAt: number | undefined): void {
    const { ledger, timeline } = this.#world
    const { events, watch } = ledger
    const looked = lookedAt ?? timeline.monotonic
    this.#spawned.set(id, looked)
    const holder = this.#byHand().find(
      (one) => !this.#leaving.has(one) && watch.sessions.includes(one.sessionId) && one.process.since < looked
    )
    if (holder !== undefined)
      this.#world.violated(`a launch beside pid ${holder.process.identity.pid}, which holds the session`)
    if (watch.recovery?.steps["compact#2"]?._tag === "Failed")
      this.#world.violated("a launch after compaction was exhausted in its cycle")
    if (!events.some((event) => event._tag === "LaunchPrepared" && event.launchId === id))
      this.#world.violated("a launcher without an intent in the log")
  }

  /**
   * Judges the moment at which a launcher took its receipt and becomes the agent. It is the most dangerous moment there
   * is.
   */
  started(order: LaunchOrder): void {
    const world = this.#world
    const { args } = order.command
    const { endedAt, watch } = world.ledger
    // Souffleur cannot see a person's Conductor that came while the launcher was on its way. A person who sees two ends
    // their own.
    const spawned = this.#spawned.get(order.id) ?? 0
    const late = this.#byHand().filter((one) => one.process.since >= spawned || this.#leaving.has(one))
    for (const one of late) this.#leaving.add(one)
    for (const { process } of late) world.timeline.after(30_000, () => world.processes.end(process))
    const others = world.living.filter((one) => !late.some(({ process }) => process === one))
    if (others.length > 0) world.violated(`two live Conductors: ${others.length + 1}`)
    // A limit that falls due while a launcher is on its way ends that agent too.
    if (watch.recovery?.trigger === "ceiling" && watch.undecided === order.id) return
    const granted = watch.recovery?.launch ?? (watch.phase === "Validating" ? watch.firstLaunch : undefined)
    if (endedAt !== undefined)
      world.violated(`a Conductor started ${world.timeline.monotonic - endedAt} ms after the watch had ended`)
    else if (granted?.launchId !== order.id)
      world.violated("a Conductor of a launch that the log does not grant any more")
    if (watch.standby !== undefined) world.violated("a Conductor started after the cycle failed closed")
    if (watch.held !== undefined) world.violated("a Conductor started while an operator holds the watch")
    const permission = args[args.indexOf("--permission-mode") + 1]
    if (permission === "bypassPermissions" && granted?.effective !== permission)
      world.violated("a launch above what its log says")
    if (permission === "bypassPermissions" && granted?.requested !== "bypassPermissions")
      world.violated("a permission that nobody asked for")
    const { waitsUntil } = world.oracle
    if (waitsUntil !== undefined && world.timeline.wall < waitsUntil && world.steadyClock)
      world.violated(`a launch ${waitsUntil - world.timeline.wall} ms before a wait is over`)
    this.#export(args.at(-1) ?? "", [watch.sessionId, ...watch.sessions.toReversed()], spawned)
    if (JSON.stringify(order).includes(secret)) world.violated("the conversation is in a launch")
    if (watch.recovery === undefined) return
    const before = world.conductors.at(-1)
    if (before !== undefined) this.#after(before, args)
    if (args.at(-1) === compactPrompt) return this.#compaction(watch.cycles)
    // A launch after a limit or an outage of the service follows no death (spec: behaviour#limits-and-waits). The
    // number of such launches has a bound of its own.
    if (watch.recovery?.trigger === "limit") return this.#afterWait(watch.waits)
    // A program says whether the work is done, and the oracle counts how often it says no.
    if (watch.recovery?.trigger === "unconfirmed") {
      if (world.check === undefined) world.violated("nobody has a program that finds the work undone")
      return
    }
    // A person asked for this one, and its predecessor did not end (spec: behaviour#retries).
    if (watch.recovery?.trigger === "handover") return
    const ranLong = before !== undefined && world.timeline.monotonic - before.process.since >= 10 * minute
    if (watch.kind === "command" && (ranLong || !world.steadyClock)) this.#longRuns++
    // The measure of the successor was fixed before its launch, and may have been out of sight then.
    const measured = Object.values(watch.recovery?.steps ?? {}).some(
      (step) =>
        step._tag === "Succeeded" &&
        Predicate.hasProperty(step.outcome, "taskFingerprint") &&
        step.outcome.taskFingerprint === world.comms.fingerprint
    )
    this.#launches = measured ? [...this.#launches, this.#tasks] : []
    // The start by a person counts. After it, or after progress, three deaths are two or three launches.
    const last = this.#launches.slice(-4)
    if (last.length === 4 && new Set(last).size === 1)
      world.violated("more than three launches in a row without progress")
  }

  /**
   * Judges a launch after a wait. Without a stated end, a wait grows with each in a row. So the service is asked a
   * bounded number of times in an outage without end.
   */
  #afterWait(waits: number): void {
    const { wall } = this.#world.timeline
    const last = this.#resumed
    this.#resumed = { at: wall, waits }
    // When an end is stated, or an operator says so, the service is asked then.
    const { endStated, hurried } = this.#world.oracle
    const least =
      !endStated && !hurried && waits > 1 && last !== undefined && waits > last.waits
        ? 30_000 * 2 ** Math.min(waits - 1, 6)
        : 0
    if (wall - (last?.at ?? 0) < least && this.#world.steadyClock)
      this.#world.violated(`two launches within ${wall - last!.at} ms, in wait ${waits} in a row`)
  }

  /**
   * Judges the file that a prompt names as the export. It is whole, and of the session before, as that was when
   * souffleur could look at it last.
   */
  #export(prompt: string, sessions: ReadonlyArray<string>, looked: number): void {
    const path = /^The conversation before you was exported to this file; read it first: (.+)$/mu.exec(prompt)?.[1]
    if (path === undefined) return
    const { disk } = this.#world
    const text = disk.read(path)
    // A successor that died before its first word left no file. The conversation is then that of the newest session
    // with a file.
    const sessionId = sessions.find((one) => disk.files.has(this.#world.sessionFile(one))) ?? ""
    if (text === undefined) return this.#world.violated("the export that a prompt names is not there")
    if (disk.writtenAt(this.#world.sessionFile(sessionId)) >= looked) return
    // A small hand-off has a limit of its own, far above the length of anything said here.
    const limit = path.includes("-hand-off-") ? Infinity : (this.#world.settings.trimChars ?? Infinity)
    const whole = this.#world.transcriptOf(sessionId)
    // A trimmed export ends as the whole does, with the start of a line.
    const end = whole.length > limit ? whole.slice(whole.lastIndexOf("\n", whole.length - 2)) : whole
    if (!text.endsWith(end) || text.length > limit)
      this.#world.violated("the export that a prompt names is not whole, or of another session")
  }

  /** Judges a launch by the end and the mode of the Conductor before it, whose session the watch has. */
  #after(conductor: Conductor, args: ReadonlyArray<string>): void {
    const { condition, life, process, sessionId } = conductor
    const { comms, ledger, lies } = this.#world
    const { events, watch } = ledger
    // A person may resume the session, and end it again, while a recovery is on its way to a launch.
    const isSeen = conductor.followed || !this.#world.byHand.has(conductor)
    if (!isSeen) return
    const isLied = lies.about.has(sessionId) || lies.about.has(conductor.cleared ?? sessionId)
    // The last session of a process is known by its hooks and by its pid file.
    const isKnown = conductor.followed && !isLied
    if (conductor.cleared !== undefined && args.includes(conductor.cleared) && isKnown)
      this.#world.violated("a session that its person had cleared away is brought back")
    if (sessionId !== watch.sessionId) return
    const permission = args[args.indexOf("--permission-mode") + 1] ?? ""
    // What a replaced file had was read before.
    const isAsked = [...comms.lost, ...comms.messages].some(({ text }) =>
      /permission_mode: (?:acceptEdits|bypassPermissions)/u.test(text)
    )
    this.#beside(conductor)
    if (life.mode !== undefined && !isAsked && (permission === "acceptEdits" || permission === "bypassPermissions"))
      this.#world.violated(`a launch with ${permission}: its session was in the mode ${life.mode}`)
    // A session file that was written over may not tell how its turn ended.
    // Souffleur may find a Conductor that ends before its command line is read, which alone tells of print mode.
    if (condition !== "failed" || process.print !== true || !watch.print || lies.about.has(sessionId)) return
    const ended = events.findLastIndex((event) => "conductor" in event && event.conductor?.pid === process.identity.pid)
    // A successor that was asked for while the agent lived is asked for still, however the agent ends meanwhile.
    const isHandedOff = watch.recovery?.trigger === "handoff"
    const said = events.slice(ended).some(({ _tag }) => _tag === "RecoveryRetried" || _tag === "AgentChosen")
    // Of a cap that souffleur counts itself, a clock that was set back hides what was used before.
    const isCapped = conductor.isCapped && this.#world.steadyClock
    if (!said && !isHandedOff && (life.fate === "refused" || life.fate === "capped" || isCapped))
      this.#world.violated(`a launch that mends nothing: its last turn was ${life.fate}, and no person has said a word`)
    const isOfService = !conductor.isCapped && ["limited", "outage", "refused", "capped", "odd"].includes(life.fate)
    if (isOfService && watch.recovery?.trigger === "limit" && args.includes("--session-id"))
      this.#world.violated(`a conversation is given up for an end of the service's making: ${life.fate}`)
  }

  /** Judges a helper of the Conductor before: it would work beside the successor, which starts it again. */
  #beside({ followed, helper, process, superseded }: Conductor): void {
    const { comms, processes } = this.#world
    // Without the mark of a launch it may be a Musician. Comms that is out, or has too many tasks, does not tell.
    const isKnown =
      process.environment["SOUFFLEUR_LAUNCH_ID"] !== undefined && !comms.isUntold && followed && !superseded
    if (helper !== undefined && isKnown && processes.isAlive(helper))
      this.#world.violated(
        `pid ${helper.identity.pid}, a helper of the Conductor before, works on beside its successor`
      )
  }

  #compaction(cycle: number): void {
    const attempts = (this.#compacted.get(cycle) ?? 0) + 1
    this.#compacted.set(cycle, attempts)
    if (attempts > 2) this.#world.violated("a third compaction in one cycle")
  }
}
