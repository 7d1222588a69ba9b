import type { RunEvent } from "@souffleur/plan"
import { minute } from "../Timeline.ts"
import type { AgentRole } from "./Deed.ts"

/** The place of a task on the ladder (spec: behaviour#ladder), counted apart from souffleur's own counting. */
interface Rung {
  standing: "waiting" | "to implement" | "to verify" | "to review" | "to land" | "escalated" | "done"
  /** True if it has a work tree of its own. */
  inTree: boolean
  rejections: number
  /** The minor findings of all of its reviews. */
  minor: ReadonlyArray<string>
  /** Implementers in a row without a result. `unreviewed` counts such reviewers of one implementation. */
  fruitless: number
  unreviewed: number
  /** The session that is to go on; `null` asks for a fresh implementer. */
  session: string | null
  /** The agent that goes on in its session, and its quick deaths in a row. `null`: nobody was told to. */
  nudge: { readonly role: AgentRole; readonly session: string; readonly deaths: number } | null
  answers: number
  /** The roles whose newest session is the fallback's. */
  standsIn: ReadonlySet<AgentRole>
  /** True if a gate judges its work, and how often that refused since the last answer. */
  gated: boolean
  refused: number
  /** True if it began in this run. The base of a task from another run is unknown. */
  begun: boolean
  dependsOn: ReadonlyArray<string>
  /** Globs of the files that it changes. */
  touches: ReadonlyArray<string>
  /** True if it is the review of all others together. */
  final: boolean
  /** True if the plan has dropped it. An agent that works on it may end. */
  dropped: boolean
}

interface Asked {
  readonly token: string
  readonly role: AgentRole
  readonly taskId: string | null
  readonly sessionId: string
  readonly resumed: boolean
  /** True if the fallback of its role is asked. */
  readonly standsIn: boolean
  readonly at: number
  /** True if another souffleur took the run since. */
  orphaned: boolean
}

/** The counts of a task that has not begun. */
const notBegun = {
  standing: "waiting" as const,
  rejections: 0,
  fruitless: 0,
  unreviewed: 0,
  session: null,
  nudge: null,
  standsIn: new Set<AgentRole>(),
  refused: 0,
  inTree: false,
  begun: false
}

/**
 * The course of one run by the tables (spec: behaviour#ladder). It says which agent may be asked next, and when a
 * person must be.
 */
export class RunOracle {
  readonly rungs = new Map<string, Rung>()
  /** Agents without an outcome yet, by their tokens. */
  readonly #asked = new Map<string, Asked>()
  /** Refusals of the service in a row. */
  refusals = 0
  finishers = 0
  /** Refusals of the commit from which the first agent begins, and whether one may begin from there. */
  #reds = 0
  #mayBegin = false
  /** True once the plan was questioned; `undefined`: nobody is to do that. */
  #questioned: boolean | undefined = undefined
  #owed: string | undefined = undefined
  #wait: { readonly since: number; readonly until: number } | undefined = undefined
  /** The refusals in which the fallback of a role is asked. */
  readonly #away = new Map<AgentRole, { readonly since: number; readonly until: number }>()
  #paused: string | undefined = undefined
  #finished = false
  /** True if a task that waits for a person does not stop the others. */
  #keepsGoing = false
  /** Most agents that may be at work at once. */
  #parallel = 1
  #held = false
  /** True from a person's stop on until a person conducts the run again. */
  #stopped = false
  #everStopped = false
  readonly #redone = new Set<string>()
  #isRevised = false
  /** The task whose commits are to be taken back. */
  #reverting: string | undefined = undefined
  readonly #violated: (what: string) => void

  constructor(violated: (what: string) => void) {
    this.#violated = violated
  }

  /** Names an assignment by the work and all its counts. An assignment that is not counted is played again. */
  position(role: AgentRole, taskId: string | null): string {
    const rung = taskId === null ? undefined : this.rungs.get(taskId)
    const { answers = 0, fruitless = 0, nudge = null, refused = 0, rejections = 0, unreviewed = 0 } = rung ?? {}
    return [role, taskId, answers, rejections, fruitless, unreviewed, refused, this.refusals, nudge?.role].join("/")
  }

  /** Names what a gate judges now. */
  get judged(): string {
    const found = [...this.rungs].find(([, { standing }]) => standing === "to verify")
    return found === undefined ? `baseline/${this.#reds}` : this.position("implementer", found[0])
  }

  #outline(tasks: Extract<RunEvent, { readonly _tag: "RunOpened" }>["tasks"]): void {
    for (const [id, rung] of this.rungs) {
      if (rung.standing === "done" || tasks.some((task) => task.id === id)) continue
      if (this.#isManned(id)) rung.dropped = true
      else this.rungs.delete(id)
    }
    for (const { dependsOn, final = false, gateDigest, id, touches = [] } of tasks) {
      const { nudge, ...before } = this.rungs.get(id) ?? { ...notBegun, minor: [], answers: 0 }
      // What is asked for may be other work since, unless that agent is at work.
      const gated = gateDigest !== undefined
      this.rungs.set(id, {
        ...before,
        nudge: this.#isManned(id) ? nudge : null,
        touches,
        dependsOn,
        final,
        dropped: false,
        gated
      })
    }
  }

  #rung(taskId: string | null): Rung {
    const rung = this.rungs.get(taskId ?? "")
    if (rung === undefined) throw new Error(`no task ${taskId}`)
    return rung
  }

  #isManned(taskId: string): boolean {
    return [...this.#asked.values()].some((asked) => asked.taskId === taskId)
  }

  /** Checks what may be at work beside an agent that is asked: no second one of its task, and nothing that it may touch. */
  #beside(asked: Asked): void {
    const others = [...this.#asked.values()]
    if (others.length >= this.#parallel) this.#violated(`an agent is asked beside ${others.length} others`)
    if (others.some(({ taskId }) => taskId === asked.taskId)) this.#violated(`${asked.taskId} gets a second agent`)
    for (const { taskId } of others) {
      const [rung, other] = [this.rungs.get(asked.taskId ?? ""), this.rungs.get(taskId ?? "")]
      if (rung === undefined || other === undefined) {
        this.#violated("an agent of the whole run is at work beside another")
        continue
      }
      const begins = ({ touches }: Rung) => touches.map((glob) => glob.split("*")[0]!)
      const meets = begins(rung).some((a) => begins(other).some((b) => a.startsWith(b) || b.startsWith(a)))
      const alone = [rung, other].some((one) => one.final || !one.inTree || begins(one).includes(""))
      // The plan may have got another text since.
      if ((meets || alone) && !this.#isRevised) this.#violated(`${asked.taskId} is at work beside ${taskId}`)
    }
  }

  #isOpen(id: string): boolean {
    const rung = this.rungs.get(id)
    return rung !== undefined && rung.standing !== "done"
  }

  #ask(asked: Asked): void {
    const { at } = asked
    this.#beside(asked)
    this.#asked.set(asked.token, asked)
    if (this.#finished) this.#violated("an agent is asked after the end")
    if (this.#held) this.#violated("an agent is asked while a person holds the run")
    if (this.#stopped) this.#violated("an agent is asked after a person stopped the run")
    if (this.#reverting !== undefined) this.#violated("an agent is asked before commits are taken back")
    if (this.#paused !== undefined) this.#violated("an agent is asked while git is in the way")
    const stuck = [...this.rungs.values()].filter(({ standing }) => standing === "escalated")
    if (stuck.length >= (this.#keepsGoing ? 3 : 1) || stuck.some(({ begun, inTree }) => begun && !inTree))
      this.#violated("an agent is asked before a person has answered")
    if (this.#wait !== undefined) this.#violated(`an agent is asked ${this.#wait.until - at} ms before a wait is over`)
    if (asked.standsIn && !asked.resumed && !this.#away.has(asked.role))
      this.#violated("a fallback is asked, and nobody was refused")
    if (asked.role === "finisher") {
      if ([...this.rungs.keys()].some((id) => this.#isOpen(id)))
        this.#violated("a finisher is asked before all is done")
      if (++this.finishers > 1) this.#violated("a finisher is asked twice")
      return
    }
    if (asked.role === "reviewer" && asked.taskId === null) {
      if (this.#questioned !== false) this.#violated("a plan is questioned that nobody is to question, or twice")
      if ([...this.rungs.values()].some(({ begun }) => begun))
        this.#violated("a plan is questioned after its first task")
      return
    }
    const rung = this.#rung(asked.taskId)
    if (this.#questioned === false) this.#violated("a task begins before its plan is questioned")
    if (rung.gated && !this.#mayBegin) this.#violated("an agent begins from a commit that no gate took")
    this.#mayBegin = true
    const wanted =
      rung.standing === "to review" ? "reviewer" : rung.standing === "to implement" ? "implementer" : "nobody"
    if (asked.role !== wanted) this.#violated(`${asked.role} is asked, and ${wanted} is wanted for ${asked.taskId}`)
    // A task that a person has done again does not stop one that had begun.
    if (rung.dependsOn.some((id) => this.#isOpen(id) && !this.#redone.has(id)))
      this.#violated(`${asked.taskId} is begun before what it depends on`)
    // A fallback goes on in no session but its own, and nobody else does in that.
    const isOthers = asked.standsIn && !rung.standsIn.has(asked.role)
    if (asked.resumed && asked.standsIn !== rung.standsIn.has(asked.role))
      this.#violated(`the ${asked.role} goes on in the session of another agent`)
    if (isOthers) Object.assign(rung, { nudge: null, ...(asked.role === "implementer" ? { session: null } : {}) })
    rung.standsIn = new Set([...rung.standsIn].filter((role) => role !== asked.role))
    if (asked.standsIn) rung.standsIn = new Set([...rung.standsIn, asked.role])
    const nudged = rung.nudge?.role === asked.role ? rung.nudge.session : null
    const goesOn = nudged ?? (asked.role === "implementer" ? rung.session : null)
    if (asked.resumed !== (goesOn !== null) || (goesOn !== null && asked.sessionId !== goesOn))
      this.#violated(goesOn === null ? `the ${asked.role} is not a fresh one` : "the implementer is not the same one")
    if (asked.role === "implementer") rung.session = asked.sessionId === "" ? null : asked.sessionId
  }

  #assignmentOver(event: { readonly token: string }): Rung | undefined {
    const asked = this.#asked.get(event.token)
    this.#asked.delete(event.token)
    if (asked === undefined) this.#violated(`agent ${event.token} is told of, and was not asked`)
    if (asked === undefined || asked.taskId === null) return undefined
    const rung = this.#rung(asked.taskId)
    if (rung.dropped) this.rungs.delete(asked.taskId)
    return rung
  }

  /** The service refuses no more an agent that was asked since, and answered. */
  #served(event: { readonly token: string }): void {
    const { at = 0, role, standsIn = true } = this.#asked.get(event.token) ?? {}
    if (role !== undefined && !standsIn && at >= (this.#away.get(role)?.since ?? Infinity)) this.#away.delete(role)
  }

  record(event: RunEvent): void {
    const owed = this.#owed
    this.#owed = undefined
    if (owed !== undefined && (event._tag !== "TaskEscalated" || event.reason !== owed))
      this.#violated(`no escalation for ${owed}`)
    switch (event._tag) {
      case "RunOpened":
        if (event.questions === true) this.#questioned = false
        this.#keepsGoing = event.keepsGoing === true
        this.#parallel = event.parallel ?? 1
        return this.#outline(event.tasks)
      case "ProgressImported":
        for (const { feedback, id, minor = [], status } of event.tasks) {
          const standing = status === "completed" ? "done" : status === "escalated" ? "escalated" : "waiting"
          // However many rejections are imported, one more must reach a person.
          const rung = this.#rung(id)
          Object.assign(rung, { standing, minor, rejections: Math.min(feedback.length, rung.final ? 1 : 2) })
        }
        return
      case "TaskDoneBefore": {
        const rung = this.#rung(event.taskId)
        if (rung.standing !== "waiting") this.#violated(`${event.taskId} was done before, and is ${rung.standing}`)
        rung.standing = "done"
        return
      }
      case "PlanRevised":
        this.#keepsGoing = event.keepsGoing === true
        this.#isRevised = true
        this.#outline(event.tasks)
        // The word that takes the plan is the answer to its pause.
        if (new Set(["plan", "red", "questions"]).has(this.#paused ?? "")) this.#paused = undefined
        if ([...this.rungs.values()].some(({ standing }) => standing === "waiting")) {
          this.#finished = false
          this.finishers = 0
        }
        return
      case "RunTaken":
        for (const [token, asked] of this.#asked) this.#asked.set(token, { ...asked, orphaned: true })
        return
      case "TaskStarted": {
        const rung = this.#rung(event.taskId)
        if (rung.dependsOn.some((id) => this.#isOpen(id)))
          this.#violated(`${event.taskId} starts before what it depends on`)
        if (rung.standing !== "waiting") this.#violated(`task ${event.taskId} is begun, and was ${rung.standing}`)
        // It judges the work of all others, so it comes after them once more.
        for (const other of this.rungs.values()) if (other.final && other !== rung) Object.assign(other, notBegun)
        const begun = [...this.rungs.values()].filter(({ standing }) => standing.startsWith("to "))
        if (!this.#keepsGoing && begun.length >= this.#parallel) this.#violated(`${begun.length + 1} tasks at once`)
        if (rung.final !== (event.review !== undefined)) this.#violated(`${event.taskId} begins as what it is not`)
        const standing = !rung.final ? "to implement" : rung.gated ? "to verify" : "to review"
        Object.assign(rung, { standing, begun: true })
        return
      }
      case "TreeChosen": {
        const rung = this.#rung(event.taskId)
        if (rung.standing !== "waiting") this.#violated(`${event.taskId} gets a tree, and is ${rung.standing}`)
        rung.inTree = true
        return
      }
      case "LandingPlanned":
        if (this.#rung(event.taskId).standing !== "to land")
          this.#violated(`${event.taskId} lands, and is not approved`)
        return
      case "LandingRefused": {
        const rung = this.#rung(event.taskId)
        if (rung.standing !== "to land") this.#violated(`${event.taskId} does not land, and is ${rung.standing}`)
        const { session } = rung
        rung.standing = "to implement"
        rung.nudge = session === null ? null : { role: "implementer", session, deaths: 0 }
        if (++rung.refused === 3) this.#owed = "landing"
        return
      }
      case "AgentAsked": {
        const { at, resumed, role, sessionId, standIn, taskId, token } = event
        const standsIn = standIn !== undefined
        return this.#ask({ token, role, taskId, sessionId, resumed, standsIn, at, orphaned: false })
      }
      case "AgentSessionFound": {
        const asked = this.#asked.get(event.token)
        if (asked?.sessionId !== "") this.#violated("a session is told twice")
        if (asked === undefined) return
        this.#asked.set(event.token, { ...asked, sessionId: event.sessionId })
        const rung = this.rungs.get(asked.taskId ?? "")
        if (asked.role === "implementer" && rung !== undefined) rung.session = event.sessionId
        return
      }
      case "AgentNudged": {
        const asked = this.#asked.get(event.token)
        this.refusals = 0
        const rung = this.#assignmentOver(event)
        if (rung === undefined || asked === undefined) return
        const who = `the ${asked.role} of ${asked.taskId}`
        const before = event.at - asked.at > 10 * minute ? 0 : (rung.nudge?.deaths ?? 0)
        const deaths = event.died === null ? 0 : before + 1
        if (rung.nudge !== null && event.died === null) this.#violated(`${who} goes on a second time`)
        if (deaths === 3) this.#violated(`${who} goes on after three deaths`)
        rung.nudge = { role: asked.role, session: asked.sessionId, deaths }
        return
      }
      case "AgentStopped": {
        const asked = this.#asked.get(event.token)
        if (!this.#stopped && !this.#everStopped) this.#violated("an agent is stopped, and no person stopped the run")
        const rung = this.#assignmentOver(event)
        if (rung === undefined || asked === undefined) return
        const { deaths = 0 } = rung.nudge ?? {}
        if (asked.sessionId !== "") rung.nudge = { role: asked.role, session: asked.sessionId, deaths }
        else if (asked.role === "implementer") rung.session = null
        return
      }
      case "RunHeld":
        this.#held = true
        return
      case "RunHoldEnded":
        this.#held = false
        return
      case "RunStopAsked":
        this.#stopped = true
        this.#everStopped = true
        return
      case "RunStopEnded":
        this.#stopped = false
        return
      case "TaskRedoAsked": {
        const rung = this.#rung(event.taskId)
        if (rung.standing !== "done") this.#violated(`${event.taskId} is done again, and was ${rung.standing}`)
        const counts = { rejections: 0, fruitless: 0, unreviewed: 0, refused: 0, session: null, nudge: null }
        this.#redone.add(event.taskId)
        // Another question than the first time.
        Object.assign(rung, { ...counts, standing: "waiting", answers: rung.answers + 1 })
        this.#finished = false
        this.finishers = 0
        return
      }
      case "RevertAsked":
        this.#reverting = event.taskId
        return
      case "WorkReverted":
        if (this.#reverting !== event.taskId) this.#violated(`nobody wanted the commits of ${event.taskId} taken back`)
        this.#reverting = undefined
        return
      case "AgentNeverRan": {
        const asked = this.#asked.get(event.token)
        const rung = this.#assignmentOver(event)
        if (asked?.role === "finisher") this.finishers = 0
        if (rung !== undefined && asked?.role === "implementer" && !asked.resumed) rung.session = null
        return
      }
      case "AgentReplaced":
        if (this.#asked.get(event.token)?.standsIn === true) this.#violated("a fallback has a fallback")
        if (event.until <= event.at) this.#violated("an agent is refused, and asked again at once")
        this.#assignmentOver(event)
        this.refusals++
        this.#away.set(event.role, { since: event.at, until: event.until })
        return
      case "AgentLimited":
        const refused = this.#asked.get(event.token)
        const limited = this.#assignmentOver(event)
        if (
          limited !== undefined &&
          refused?.standsIn === true &&
          event.until >= (this.#away.get(refused.role)?.until ?? event.until)
        )
          Object.assign(limited, { nudge: null, ...(refused.role === "implementer" ? { session: null } : {}) })
        this.refusals++
        // Each refusal of one wait makes it no shorter.
        this.#wait = {
          since: this.#wait?.since ?? event.at,
          until: Math.max(this.#wait?.until ?? 0, event.until)
        }
        this.finishers = 0
        return
      case "LimitWaitEnded":
        // A clock that was set back to before the wait ends it too.
        const early = this.#wait !== undefined && event.at >= this.#wait.since && event.at < this.#wait.until
        const isMeant = event.by === "operator" && this.#away.size > 0
        if ((this.#wait === undefined && !isMeant) || (early && event.by !== "operator"))
          this.#violated("a wait ended before its time")
        if (event.by === "operator") this.#away.clear()
        this.#wait = undefined
        return
      case "ImplementationCompleted":
        this.#served(event)
        return this.#move(event, (rung) =>
          Object.assign(rung, { standing: rung.gated ? "to verify" : "to review", fruitless: 0, unreviewed: 0 })
        )
      case "WorkVerified": {
        const rung = this.#rung(event.taskId)
        if (rung.standing !== "to verify") this.#violated(`the gate took ${event.taskId}, which is ${rung.standing}`)
        rung.standing = "to review"
        return
      }
      case "WorkRefused": {
        const rung = this.#rung(event.taskId)
        if (rung.standing !== "to verify") this.#violated(`the gate refused ${event.taskId}, which is ${rung.standing}`)
        const { session } = rung
        rung.standing = "to implement"
        rung.nudge = session === null ? null : { role: "implementer", session, deaths: 0 }
        if (++rung.refused === 3) this.#owed = "gate"
        return
      }
      case "PlanQuestioned":
        this.refusals = 0
        this.#assignmentOver(event)
        this.#questioned = true
        return
      case "BaselineVerified":
      case "RedAllowed":
        this.#mayBegin = true
        return
      case "BaselineRefused":
        if (this.#mayBegin) this.#violated("a commit is judged that an agent may begin from")
        this.#reds++
        return
      case "ImplementationBlocked":
        return this.#move(event, () => void (this.#owed = "blocked"))
      case "ImplementationFailed":
        return this.#move(event, (rung) => {
          rung.session = null
          if (event.reason !== "lost" && event.reason !== "dropped" && ++rung.fruitless === 3)
            this.#owed = "implementer failures"
        })
      case "ReviewFailed":
        return this.#move(event, (rung) => {
          if (event.reason !== "lost" && event.reason !== "dropped" && ++rung.unreviewed === 3)
            this.#owed = "reviewer failures"
        })
      case "WorkChanged": {
        const rung = this.#rung(event.taskId)
        if (rung.standing !== "to review" && rung.standing !== "to verify")
          this.#violated(`work changed, and ${event.taskId} is ${rung.standing}`)
        rung.nudge = null
        if (rung.gated) rung.standing = "to verify"
        if (event.commits.length === 0 || event.files.length === 0)
          Object.assign(rung, { standing: "to implement", session: null })
        return
      }
      case "ReviewRejected":
        this.#served(event)
        return this.#move(event, (rung) => {
          rung.standing = "to implement"
          rung.minor = [...rung.minor, ...event.minor]
          rung.rejections++
          rung.refused = 0
          if (rung.rejections === 2) rung.session = null
          if (rung.rejections === (rung.final ? 2 : 3)) this.#owed = "rejections"
        })
      case "ReviewApproved":
        this.#served(event)
        return this.#move(event, (rung) => {
          if (rung.standing !== "to review") this.#violated(`${event.taskId} is approved, and was ${rung.standing}`)
          rung.standing = rung.inTree ? "to land" : "done"
          rung.minor = [...rung.minor, ...event.minor]
        })
      case "TaskCompleted": {
        const rung = this.#rung(event.taskId)
        if (rung.standing !== (rung.inTree ? "to land" : "done"))
          this.#violated(`${event.taskId} is complete, and nobody approved it`)
        Object.assign(rung, { standing: "done", inTree: false })
        return
      }
      case "TaskEscalated":
        if (event.reason === "unproven") {
          if (this.#rung(event.taskId).begun) this.#violated(`${event.taskId} was begun here, and is not believed`)
        } else if (owed === undefined) this.#violated(`an escalation for ${event.reason} before its time`)
        this.#rung(event.taskId).standing = "escalated"
        return
      case "TaskAnswered": {
        const rung = this.#rung(event.taskId)
        if (this.#reverting === event.taskId) {
          if (this.#paused === "revert") this.#paused = undefined
          this.#reverting = undefined
          if (event.answer !== "skip") this.#violated("commits stay by another word than skip")
          return
        }
        const lost = this.#paused === "work lost" && rung.standing !== "waiting" && rung.standing !== "escalated"
        if (rung.standing !== "escalated" && !lost)
          this.#violated(`an answer to ${event.taskId}, which is ${rung.standing}`)
        const unreviewed = event.answer === "retry" && rung.unreviewed >= 3
        const standing =
          event.answer === "skip" ? "done" : !rung.begun || lost ? "waiting" : unreviewed ? "to review" : "to implement"
        Object.assign(rung, {
          standing,
          rejections: 0,
          fruitless: 0,
          unreviewed: 0,
          refused: 0,
          session: null,
          nudge: null,
          inTree: rung.inTree && standing !== "done" && standing !== "waiting",
          answers: rung.answers + 1
        })
        return
      }
      case "RunPaused":
        this.#paused = event.reason
        return
      case "RunResumed":
        this.#paused = undefined
        return
      case "RunVerified":
        if ([...this.rungs.keys()].some((id) => this.#isOpen(id)))
          this.#violated("the run is verified, and not all is done")
        return
      case "RunFinished":
        if (event.finishing !== "none") this.#asked.clear()
        // A finish while the plan has more to do is not the end.
        this.#finished = ![...this.rungs.keys()].some((id) => this.#isOpen(id))
        return
      case "FinishingAnswered":
        if (event.answer === "retry") this.finishers = 0
        this.#finished = event.answer === "skip"
        return
      default:
    }
  }

  #move(event: { readonly token: string }, change: (rung: Rung) => void): void {
    this.refusals = 0
    const rung = this.#assignmentOver(event)
    if (rung === undefined) return
    rung.nudge = null
    change(rung)
  }
}
