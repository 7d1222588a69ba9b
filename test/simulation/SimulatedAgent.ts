import { formatTime, type TurnState } from "@souffleur/domain"
import type { Life } from "./Life.ts"
import type { SimProcess } from "./ProcessTable.ts"
import type { SimMachine } from "./SimMachine.ts"
import type { SimulatedComms } from "./SimulatedComms.ts"
import { minute } from "./Timeline.ts"

/** The part of a world that a Conductor touches. */
export interface ConductorWorld extends SimMachine {
  readonly byHand: ReadonlySet<Conductor>
  readonly comms: SimulatedComms
  readonly results: Map<string, number>
  readonly serviceOut: boolean
  readonly solo: unknown
  sessionFile(sessionId: string): string
  wrote(conductor: Conductor, turn: TurnState): void
}

/** The text of a conversation, which may be nowhere else. The log, comms and every log line are searched for it. */
export const secret = "the-conversation-says-this"

/**
 * The text by which a payload asks the successor to do something first. It may be in a launch, and in no log either.
 */
export const asked = "the-payload-asks-this"

const beatEvery = 30_000
/** The comms knows whole seconds only. */
const stale = 239_000
/** The agent's own stall time. */
const stall = 361_000
/** The longest time of a tool whose processes use the processor. */
const longestTool = 2 * 60 * minute

/** The fates that put a last word into the session. */
const saysLast: ReadonlySet<Life["fate"]> = new Set([
  "completes",
  "handoff",
  "turn ends",
  "rests",
  "limited",
  "outage",
  "refused",
  "capped",
  "odd",
  "too long"
])

/** A simulated Conductor: it beats each 30 s, works, and meets its fate. It has plain timers, and no fiber of ours. */
export class Conductor {
  readonly process: SimProcess
  sessionId: string
  readonly generation: number
  readonly life: Life
  readonly #world: ConductorWorld
  #aliveAt: number
  /**
   * The condition. `handoff`, `complete`: it said so. `silent`: it hangs, pauses or waits. `failed`: the service ended
   * its turn. `idle`: its turn is over, and it waits at its prompt.
   */
  condition: "working" | "idle" | "silent" | "handoff" | "complete" | "failed" = "working"
  /** True if the watch has recorded it. */
  followed = false
  /** True if another process was adopted in its place. */
  superseded = false
  /** The time of its end by itself, its last turn finished, on the monotonic clock. */
  turnEndedAt: number | undefined
  /** The wall time at which the model answered it for the first time. */
  answeredAt: number | undefined
  /**
   * The wall time until which there is a reason to leave it alone. The reason is its session file, or a person whom it
   * waits for.
   */
  excusedUntil = 0
  status: "busy" | "waiting" | "idle" = "busy"
  /** When it last went to rest at its prompt, and went on from there, monotonic. Absent: never. */
  rest: { readonly from: number; until: number } | undefined
  /** The number of its tools' results, and of its subagents'. */
  worked = 0
  /** The times at which the model was asked, monotonic, and the session in which it was. */
  readonly turns: Array<{ readonly at: number; readonly sessionId: string }> = []
  /** The most turns that it takes, by its user's flag. */
  readonly mostTurns: number
  /** The helper that one of its tools runs. */
  helper: SimProcess | undefined
  /** The session that a person cleared away for another one. */
  cleared: string | undefined
  #tasks = 0
  #idle = false

  /** Monotonic time. */
  readonly startedAt: number
  /** When it ended, by the wall clock of that time. `undefined`: it lives, or the machine lost its power. */
  endedAt: number | undefined

  constructor(
    world: ConductorWorld,
    process: SimProcess,
    sessionId: string,
    generation: number,
    life: Life,
    mostTurns: number
  ) {
    this.#world = world
    this.mostTurns = mostTurns
    this.process = process
    this.sessionId = life.moves?.to ?? sessionId
    if (life.moves !== undefined) {
      process.session = undefined
      const { heldAfter, to } = life.moves
      const hold = (): void => {
        if (this.sessionId === to) process.session = to
      }
      if (heldAfter !== undefined) world.timeline.after(heldAfter, hold)
    }
    this.generation = generation
    this.life = life
    this.startedAt = this.#aliveAt = world.timeline.monotonic
    process.belongsTo = generation
    process.onTerm = life.onTerm
    process.leavesZombie = life.fate === "zombie"
    const { timeline } = world
    process.ended = () => {
      if (!world.processes.losesPower) this.endedAt = timeline.wall
      world.tell(`the Conductor (S${generation}, pid ${process.identity.pid}) ended`)
    }
    timeline.after(1000, () => {
      if (!this.isAlive) return
      const file = world.sessionFile(this.sessionId)
      world.disk.write(file, `${world.disk.read(file) ?? ""}{"type":"user","message":"${secret}"}\n`)
      if (life.fate === "mute")
        return world.wrote(this, { _tag: "Failed", at: timeline.wall, reason: "other", resetsAt: undefined })
      for (let tool = 0; tool < life.tools; tool++) this.#startTool(tool)
      if (life.company === true) this.#startCompany()
      if (life.runs !== undefined) this.#startAgent(life.runs)
      world.comms.write({ state: "working", sessionId: this.sessionId, ...this.#told() })
      this.#beat()
      timeline.after(life.answersAfter ?? 0, () => this.#answer())
    })
    // It may end before its first word. It never says its last one before that, nor does the service refuse it then.
    const earliest = saysLast.has(life.fate) ? 1001 : 0
    if (life.fate !== "lives" && life.fate !== "mute")
      timeline.after(Math.max(life.at, earliest), () => this.#meetFate())
    // The result of a tool follows its first record.
    if (life.worksEvery !== undefined && life.fate !== "mute")
      this.#work(1000 + (life.worksFirst ?? life.worksEvery), life.worksEvery)
  }

  /** True if it ended by itself, its last turn finished. */
  get turnEnded(): boolean {
    return this.turnEndedAt !== undefined
  }

  /** True if a permission refused the last tool of its turn. */
  get wasRefused(): boolean {
    return this.turnEnded && this.life.ends === "refused"
  }

  /** True if it used up the cap of its user. */
  get isCapped(): boolean {
    return this.turns.length >= this.mostTurns
  }

  /** True if it ended itself there. */
  get endedAtCap(): boolean {
    return this.isCapped && this.condition === "failed" && this.process.print && !this.isAlive
  }

  /** When it came to its prompt because its cap was used up, monotonic. `undefined`: it is not there. */
  get cappedSince(): number | undefined {
    const isCapped = this.condition === "failed" && (this.isCapped || this.life.fate === "capped")
    return isCapped && this.isAlive ? (this.turns.at(-1)?.at ?? this.startedAt) : undefined
  }

  get isAlive(): boolean {
    return this.#world.processes.isAlive(this.process)
  }

  /** True if there is no reason to signal it. */
  get isHealthy(): boolean {
    if (!this.isAlive || this.condition === "handoff" || this.condition === "failed" || this.life.fate === "mute")
      return false
    // Souffleur may be unable to see it. Its beats tell no time or do not arrive. Besides, it never took its hand-off,
    // or is at work in a session that no word names.
    const unheard = this.life.beatsAs !== undefined || this.#world.comms.trouble !== undefined
    const unseen = this.answeredAt === undefined || this.life.moves !== undefined
    if (unheard && unseen && this.process.environment["SOUFFLEUR_LAUNCH_ID"] !== undefined) return false
    const { monotonic, wall } = this.#world.timeline
    return monotonic - this.#aliveAt <= stale || wall < this.excusedUntil
  }

  /** Gives its first real answer. Where something keeps it from that, it answers as soon as it goes on. */
  #answer(): void {
    if (!this.isAlive) return
    if (this.condition === "working") this.answeredAt = this.#world.timeline.wall
    else this.#world.timeline.after(beatEvery, () => this.#answer())
  }

  /** Gives a heartbeat that tells no time of now. */
  #told(): { readonly lastHeartbeat?: string | null } {
    switch (this.life.beatsAs) {
      case undefined:
        return {}
      case "nothing":
        return { lastHeartbeat: null }
      case "words":
        return { lastHeartbeat: "a moment ago" }
      case "tomorrow":
        return { lastHeartbeat: formatTime(this.#world.timeline.wall + 86_400_000) }
    }
  }

  #beat(): void {
    if (!this.isAlive) return
    if (
      (this.condition === "working" || this.condition === "handoff" || this.condition === "complete") &&
      !this.#idle
    ) {
      this.#aliveAt = this.#world.timeline.monotonic
      if (this.condition === "working") this.#ask()
      // A database that is locked does not take the beat: the Conductor is no less alive.
      this.#world.comms.write({ sessionId: this.sessionId, ...this.#told() })
    }
    this.#world.timeline.after(beatEvery, () => this.#beat())
  }

  /** Asks the model. Where its user's cap allows no more it ends, or stays at its prompt. */
  #ask(): void {
    const { processes, timeline } = this.#world
    this.turns.push({ at: timeline.monotonic, sessionId: this.sessionId })
    this.#world.wrote(this, { _tag: "Asked", at: timeline.wall })
    if (!this.isCapped) return
    this.condition = "failed"
    this.#world.wrote(this, { _tag: "Failed", at: timeline.wall, reason: "cap", resetsAt: undefined })
    if (this.process.print) return processes.end(this.process)
    this.status = "idle"
  }

  #startTool(number: number): SimProcess {
    const { environment, identity } = this.process
    const tags = { CLAUDE_PID: String(identity.pid), CLAUDE_CODE_SESSION_ID: this.sessionId }
    return this.#world.processes.start({
      parent: number % 2 === 0 ? 1 : identity.pid,
      name: "tool",
      // Every fourth cleans its environment. Once its parent is gone, it is known from earlier looks.
      environment: number % 4 === 1 ? {} : { ...environment, ...tags },
      belongsTo: this.generation,
      onTerm: number % 3 === 0 ? "never" : 200
    })
  }

  #startCompany(): void {
    const { comms, processes, timeline } = this.#world
    const { pid } = this.process.identity
    const session = `44444444-0000-4000-8000-${String(this.generation).padStart(12, "0")}`
    const other = processes.start({ parent: pid, name: "claude", session })
    const environment = { CLAUDE_PID: String(other.identity.pid), CLAUDE_CODE_SESSION_ID: session }
    processes.start({ parent: other.identity.pid, name: "tool", environment })
    processes.start({ parent: 1, name: "daemon" })
    const orphan = this.#startTool(0)
    const beat = (): void => {
      if (!processes.isAlive(orphan)) return
      // Souffleur does not end the leftovers of a person's Conductor that the watch never followed. Nor does it end
      // those of a Conductor before an operator's adopt, which stops no process (docs/reliability.md, not promised).
      if (!this.isAlive && !this.superseded && (this.followed || !this.#world.byHand.has(this))) comms.write({})
      timeline.after(beatEvery, beat)
    }
    beat()
  }

  /** Runs another agent in a tool, which carries the mark of the launch, and works on when this one is gone. */
  #startAgent(runs: NonNullable<Life["runs"]>): void {
    const { comms, processes, solo, timeline } = this.#world
    const { environment, identity } = this.process
    // Without comms no task names a Musician.
    if (runs === "musician" && solo !== undefined) return
    const session = `55555555-0000-4000-8000-${String(this.generation).padStart(12, "0")}`
    const other = processes.start({
      parent: identity.pid,
      name: "claude",
      print: runs !== "window",
      hasTerminal: runs === "window",
      session,
      environment: {
        ...environment,
        CLAUDE_PID: String(identity.pid),
        CLAUDE_CODE_SESSION_ID: this.sessionId
      },
      belongsTo: runs === "helper" ? this.generation : 0
    })
    if (runs === "musician") comms.musicians.add(session)
    if (runs === "helper") this.helper = other
    timeline.after(20 * minute, () => processes.end(other))
  }

  /**
   * A subagent works for it until the call of the tool is over, and writes files of its own. A silent one thinks for
   * longer than a call to the model may stall.
   */
  #delegate(turn: TurnState & { readonly _tag: "Tool" }, isSilent: boolean): void {
    if (!this.isAlive || this.condition !== "silent") return
    const { results } = this.#world
    this.#world.wrote(this, turn)
    if (this.life.worksEvery !== undefined) {
      this.worked++
      results.set(this.sessionId, (results.get(this.sessionId) ?? 0) + 1)
    }
    if (!isSilent) this.#world.timeline.after(20_000, () => this.#delegate(turn, isSilent))
  }

  #work(next: number, every: number): void {
    this.#world.timeline.after(next, () => {
      if (!this.isAlive || this.condition === "complete") return
      const { comms, results } = this.#world
      if (this.condition === "working") {
        this.worked++
        results.set(this.sessionId, (results.get(this.sessionId) ?? 0) + 1)
      }
      if (this.condition === "working" && comms.trouble === undefined) {
        comms.tasks.set(`task-${this.generation}-${++this.#tasks}`, "working")
        for (const task of [...comms.tasks.keys()].slice(0, -1)) comms.tasks.set(task, "complete")
      }
      this.#work(every, every)
    })
  }

  /** Says a state on the comms, and again until the comms takes it. */
  #say(state: "complete" | "context_recovery", said: () => void): void {
    if (!this.isAlive) return
    if (this.#world.comms.write({ state })) said()
    else this.#world.timeline.after(5000, () => this.#say(state, said))
  }

  #silentFor(millis: number, over: () => void = () => undefined): void {
    this.condition = "silent"
    this.#world.timeline.after(millis, () => {
      over()
      this.#goOn()
    })
  }

  /** Waits at its prompt. A person types a word, or no word comes. With comms its silence is a death all the same. */
  #rest(): void {
    const { solo, timeline } = this.#world
    this.#world.wrote(this, { _tag: "Finished", at: timeline.wall })
    this.answeredAt ??= timeline.wall
    this.condition = this.status = "idle"
    const rest = (this.rest = { from: timeline.monotonic, until: Infinity })
    if (solo !== undefined) this.excusedUntil = Infinity
    if (this.life.lasts % 2 === 1) return
    timeline.after(this.life.lasts, () => {
      if (!this.isAlive || this.condition !== "idle") return
      rest.until = timeline.monotonic
      this.#goOn()
    })
  }

  /** Stays after its turn, although nothing is left to do in print mode. */
  #linger(): void {
    this.answeredAt ??= this.#world.timeline.wall
    this.condition = this.status = "idle"
    this.process.lingers = true
    this.excusedUntil = Infinity
  }

  /** Works on: it is adopted, whatever it had asked for. */
  worksOn(): void {
    if (this.condition !== "handoff" || !this.isAlive) return
    this.#idle = false
    this.#goOn()
    this.#world.comms.write({ state: "working" })
  }

  #goOn(): void {
    if (!this.isAlive) return
    this.condition = "working"
    this.status = "busy"
    this.excusedUntil = 0
    this.#aliveAt = this.#world.timeline.monotonic
    this.#world.comms.write({ sessionId: this.sessionId, ...this.#told() })
    this.#world.tell(`the Conductor (S${this.generation}) goes on`)
    this.#ask()
  }

  #meetFate(): void {
    if (!this.isAlive || (this.#world.calm && !this.#world.serviceOut)) return
    const { processes, timeline } = this.#world
    // What it meets at its prompt begins with the word of a person.
    this.status = "busy"
    this.#world.tell(`the Conductor (S${this.generation}, pid ${this.process.identity.pid}) ${this.life.fate}`)
    switch (this.life.fate) {
      case "lives":
        return
      case "dies":
      case "zombie":
        return processes.end(this.process)
      case "hangs":
        this.condition = "silent"
        return
      case "pauses":
        return this.#silentFor(this.life.lasts)
      case "tool": {
        const limit = this.life.lasts % 2 === 0 ? 600_000 : 120_000
        const tool = this.#startTool(0)
        this.#world.wrote(this, { _tag: "Tool", at: timeline.wall, name: "Bash", limit, spawns: true })
        this.excusedUntil = timeline.wall + limit
        tool.ended = () => void (this.excusedUntil = 0)
        return this.#silentFor(Math.min(limit, this.life.lasts), () => processes.end(tool))
      }
      case "builds": {
        // The user's own settings allow it more than its record states.
        const limit = [undefined, 120_000, 600_000][this.life.lasts % 3]
        const tool = this.#startTool(7)
        tool.works = true
        this.#world.wrote(this, { _tag: "Tool", at: timeline.wall, name: "Bash", limit, spawns: true })
        this.excusedUntil = timeline.wall + longestTool
        tool.ended = () => void (this.excusedUntil = 0)
        return this.#silentFor(4 * this.life.lasts, () => processes.end(tool))
      }
      case "delegates": {
        this.excusedUntil = Infinity
        const isSilent = this.life.lasts % 3 === 0
        this.#silentFor((isSilent ? 4 : 1) * this.life.lasts, () => {
          if (this.life.lasts % 2 === 0) processes.end(this.process)
        })
        const turn = { _tag: "Tool", at: timeline.wall, name: "Task", limit: undefined, spawns: false } as const
        return this.#delegate(turn, isSilent)
      }
      case "retries": {
        const nextAt = timeline.wall + Math.min(180_000, this.life.lasts)
        this.#world.wrote(this, {
          _tag: "Retrying",
          at: timeline.wall,
          attempt: 3,
          attempts: 10,
          nextAt,
          resetsAt: undefined
        })
        this.excusedUntil = nextAt + stall
        return this.#silentFor(this.life.lasts)
      }
      case "asks":
        this.status = "waiting"
        this.excusedUntil = Infinity
        return this.#silentFor(this.life.lasts)
      case "clears": {
        // A Conductor that a person began and puts away again is of no watch any more. Souffleur cannot know it. The
        // same goes for a Conductor that another was adopted for.
        if (this.#world.byHand.has(this) || this.superseded) return
        // A person types it, so the turn before it is over.
        this.#world.wrote(this, { _tag: "Finished", at: timeline.wall })
        this.cleared = this.sessionId
        this.sessionId = `22222222-0000-4000-8000-${String(this.generation).padStart(12, "0")}`
        this.process.session = this.sessionId
        this.#world.disk.write(this.#world.sessionFile(this.sessionId), "")
        if (this.life.lasts % 2 === 0) timeline.after(this.life.lasts, () => processes.end(this.process))
        return this.#ask()
      }
      case "limited":
      case "outage":
      case "refused":
      case "capped":
      case "odd":
      case "too long": {
        const reasons = {
          limited: "usage-limit",
          outage: "outage",
          refused: "login",
          capped: "cap",
          odd: "other",
          "too long": "prompt-too-long"
        } as const
        const reason = reasons[this.life.fate]
        const resetsAt =
          this.life.resetsIn === undefined || reason !== "usage-limit" ? undefined : timeline.wall + this.life.resetsIn
        const words = reason === "other" ? { words: "I am a teapot" } : {}
        this.#world.wrote(this, { _tag: "Failed", at: timeline.wall, reason, resetsAt, ...words })
        this.condition = "failed"
        if (this.process.print) return processes.end(this.process)
        if (reason === "cap") this.status = "idle"
        // A person types a word, or no word comes.
        if (this.life.lasts % 3 === 0) timeline.after(this.life.lasts, () => this.#goOn())
        return
      }
      case "mute":
        return
      case "handoff":
        // On a locked database the payload is lost: its request is optional.
        if (this.life.payload !== undefined && this.#world.comms.trouble === undefined)
          this.#world.comms.say("conductor", "system", this.life.payload)
        return this.#say("context_recovery", () => {
          this.condition = "handoff"
          // It has nothing more to do: sooner or later it is silent.
          timeline.after(this.life.lasts, () => void (this.#idle = true))
        })
      case "rests":
      case "turn ends":
        if (this.life.fate === "rests" && !this.process.print) return this.#rest()
        this.turnEndedAt = timeline.monotonic
        this.#world.wrote(this, { _tag: "Finished", at: timeline.wall })
        return this.life.fate === "rests" && this.#world.solo !== undefined
          ? this.#linger()
          : processes.end(this.process)
      case "completes":
        return this.#say("complete", () => {
          this.condition = "complete"
          timeline.after(this.life.lasts, () => {
            if (!this.isAlive) return
            this.turnEndedAt = timeline.monotonic
            processes.end(this.process)
          })
        })
    }
  }
}
