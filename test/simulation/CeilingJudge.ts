import type { RunEvent } from "@souffleur/plan"
import type { Permission, WatchEvent } from "@souffleur/domain"

/** The part of a world that the judge needs; both worlds have it. */
interface Config {
  /** The ceiling in the config file. */
  readonly ceiling: Permission
  readonly violated: (what: string) => void
}

/**
 * Judges the permission of each launch. The limit was pinned at the opening, or by a person's word since. The limit is
 * also no more than the file said when it was read for this very launch. A file that asks for more is told before that
 * launch.
 */
export class CeilingJudge {
  readonly #config: Config
  #pinned: Permission = "acceptEdits"
  /** The ceiling that was read since the launch was meant. */
  #read: Permission | undefined = undefined
  /** The streams that have told what the file asks for. */
  readonly #told = new Set<string>()
  /** The same, with those that had told it when it was read; `undefined`: what was read is no more than was pinned. */
  #toldOf: Set<string> | undefined = undefined
  /** Every ceiling that a person has said, or that was in force when anything was opened. */
  readonly #words = new Set<Permission>(["acceptEdits"])

  constructor(config: Config) {
    this.#config = config
  }

  /** Notes a ceiling: a person says it, or opens a watch or a run under it. */
  said(ceiling: Permission): void {
    this.#words.add(ceiling)
  }

  /** Reads the file as souffleur does, and notes what it says. */
  read(): Permission {
    this.#read = this.#config.ceiling
    const isMore = this.#read === "bypassPermissions" && this.#pinned === "acceptEdits"
    this.#toldOf = isMore ? new Set(this.#told) : undefined
    return this.#read
  }

  record(event: WatchEvent | RunEvent, stream: string): void {
    const violated = (what: string) => this.#config.violated(`${event._tag}: ${what}`)
    switch (event._tag) {
      case "WatchOpened":
      case "RunOpened":
      case "TrustGiven":
        this.#pinned = event.pin.ceiling
        this.#told.delete(stream)
        if (!this.#words.has(this.#pinned)) violated(`nobody said ${this.#pinned}`)
        break
      case "ConfigOverreached":
        this.#told.add(stream)
        this.#toldOf?.add(stream)
        break
      case "ConfigWithdrawn":
        this.#told.delete(stream)
        break
      case "StepStarted":
      case "AgentAsked":
        this.#read = undefined
        break
      case "LaunchPrepared":
      case "AgentPrepared": {
        // A command, and a run's first launch, ask for nothing more in these worlds.
        if (this.#read === undefined)
          return event.effective === "acceptEdits" ? undefined : violated("the file was not read for it")
        if (
          event.effective === "bypassPermissions" &&
          (this.#pinned !== event.effective || this.#read !== event.effective)
        )
          violated(`a launch above the ceiling: ${this.#pinned} is pinned, the file said ${this.#read}`)
        if (this.#toldOf?.has(stream) === false) violated("the file asks for more than is pinned, and nobody was told")
        break
      }
      default:
    }
  }
}
