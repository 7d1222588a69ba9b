import type { SimProcess } from "./ProcessTable.ts"
import type { World } from "./World.ts"

/** What becomes of a Conductor, in ms of its own life. */
export interface Life {
  readonly fate: "lives" | "dies" | "zombie" | "hangs" | "pauses" | "handoff" | "turn ends" | "completes"
  /** When the fate comes. */
  readonly at: number
  /** For how long it pauses, goes on running once it is complete, or beating once it asked for a handoff. */
  readonly lasts: number
  /** What it says before it asks for a handoff; `undefined`: nothing. */
  readonly payload: string | undefined
  /** Started so that it ends after its turn; only the first Conductor and one started by hand have the choice. */
  readonly print: boolean
  /** A task is added, or changes its state, each so many ms; `undefined`: never. */
  readonly worksEvery: number | undefined
  /** Processes that it starts: half of them are children of the machine's first process, known by their tags only. */
  readonly tools: number
  readonly onTerm: SimProcess["onTerm"]
  /** It goes on in another session than the one that it was launched with; `heldAfter` ms its pid file says so, or never. */
  readonly moves?: { readonly to: string; readonly heldAfter: number | undefined }
}

export const steady: Life = { fate: "lives", at: 0, lasts: 0, payload: undefined, print: false, worksEvery: 60_000, tools: 0, onTerm: 0 }

/** What a conversation says, and nothing else may: the log, comms and every log line are searched for it. */
export const secret = "the-conversation-says-this"

/** What a payload asks the successor to do first: it may be in a launch, and in no log either. */
export const asked = "the-payload-asks-this"

const beatEvery = 30_000
/** The board knows whole seconds only. */
const stale = 239_000

/** A simulated Conductor: beats each 30 s, works, and meets its fate. Plain timers, no fiber of ours. */
export class Conductor {
  readonly process: SimProcess
  readonly sessionId: string
  readonly generation: number
  readonly life: Life
  readonly #world: World
  #aliveAt: number
  /** `handoff`, `complete`: it said so; `silent`: it hangs or pauses. */
  condition: "working" | "silent" | "handoff" | "complete" = "working"
  /** It ended by itself, its last turn finished. */
  turnEnded = false
  /** When the model answered it for the first time, and when it wrote its session file last; wall time. */
  answeredAt: number | undefined
  wroteAt: number | undefined
  #tasks = 0
  #idle = false

  constructor(world: World, process: SimProcess, sessionId: string, generation: number, life: Life) {
    this.#world = world
    this.process = process
    this.sessionId = life.moves?.to ?? sessionId
    if (life.moves !== undefined) {
      process.session = undefined
      const { heldAfter, to } = life.moves
      if (heldAfter !== undefined) world.timeline.after(heldAfter, () => void (process.session = to))
    }
    this.generation = generation
    this.life = life
    this.#aliveAt = world.timeline.monotonic
    process.belongsTo = generation
    process.onTerm = life.onTerm
    process.leavesZombie = life.fate === "zombie"
    process.ended = () => world.tell(`the Conductor (S${generation}, pid ${process.identity.pid}) ended`)
    const { timeline } = world
    timeline.after(1000, () => {
      if (!this.isAlive) return
      const file = world.sessionFile(this.sessionId)
      world.disk.write(file, `${world.disk.read(file) ?? ""}{"type":"user","message":"${secret}"}\n`)
      this.answeredAt = timeline.wall
      for (let tool = 0; tool < life.tools; tool++) this.#startTool(tool)
      world.board.write({ state: "working", sessionId: this.sessionId })
      this.#beat()
    })
    if (life.fate !== "lives") timeline.after(life.at, () => this.#meetFate())
    if (life.worksEvery !== undefined) this.#work(life.worksEvery)
  }

  get isAlive(): boolean {
    return this.#world.processes.isAlive(this.process)
  }

  /** Nobody has a reason to signal it. */
  get isHealthy(): boolean {
    return this.isAlive && this.condition !== "handoff" && this.#world.timeline.monotonic - this.#aliveAt <= stale
  }

  #beat(): void {
    if (!this.isAlive) return
    if (this.condition !== "silent" && !this.#idle) {
      this.#aliveAt = this.#world.timeline.monotonic
      this.wroteAt = this.#world.timeline.wall
      // A database that is locked does not take the beat: the Conductor is no less alive.
      this.#world.board.write({ sessionId: this.sessionId })
    }
    this.#world.timeline.after(beatEvery, () => this.#beat())
  }

  #startTool(number: number): void {
    const { identity } = this.process
    this.#world.processes.start({
      parent: number % 2 === 0 ? 1 : identity.pid,
      name: "tool",
      environment: { CLAUDE_PID: String(identity.pid), CLAUDE_CODE_SESSION_ID: this.sessionId },
      belongsTo: this.generation,
      onTerm: number % 3 === 0 ? "never" : 200
    })
  }

  #work(every: number): void {
    this.#world.timeline.after(every, () => {
      if (!this.isAlive || this.condition === "complete") return
      const { board } = this.#world
      if (this.condition === "working" && board.trouble === undefined) {
        board.tasks.set(`task-${this.generation}-${++this.#tasks}`, "working")
        for (const task of [...board.tasks.keys()].slice(0, -1)) board.tasks.set(task, "complete")
      }
      this.#work(every)
    })
  }

  /** Says a state on the board, again until the board takes it. */
  #say(state: "complete" | "context_recovery", said: () => void): void {
    if (!this.isAlive) return
    if (this.#world.board.write({ state })) said()
    else this.#world.timeline.after(5000, () => this.#say(state, said))
  }

  #meetFate(): void {
    if (!this.isAlive || this.#world.calm) return
    const { processes, timeline } = this.#world
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
        this.condition = "silent"
        timeline.after(this.life.lasts, () => {
          if (!this.isAlive) return
          this.condition = "working"
          this.#world.tell(`the Conductor (S${this.generation}) goes on`)
        })
        return
      case "handoff":
        // On a locked database it is lost: what a payload asks for is optional.
        if (this.life.payload !== undefined && this.#world.board.trouble === undefined)
          this.#world.board.say("conductor", "system", this.life.payload)
        return this.#say("context_recovery", () => {
          this.condition = "handoff"
          // It has nothing more to do: sooner or later it is silent.
          timeline.after(this.life.lasts, () => void (this.#idle = true))
        })
      case "turn ends":
        this.turnEnded = true
        return processes.end(this.process)
      case "completes":
        return this.#say("complete", () => {
          this.condition = "complete"
          timeline.after(this.life.lasts, () => {
            if (!this.isAlive) return
            this.turnEnded = true
            processes.end(this.process)
          })
        })
    }
  }
}
