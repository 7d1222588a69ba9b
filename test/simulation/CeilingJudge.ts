import type { RunEvent } from "@souffleur/plan"
import type { Permission, WatchEvent } from "@souffleur/domain"

/** What both worlds have of it. */
interface Config {
  /** What the config file says. */
  readonly ceiling: Permission
  readonly violated: (what: string) => void
}

/**
 * What a launch may be allowed: what was pinned at the opening, or by a person's word since, and no more than the file
 * said when it was read for this very launch. A file that says more is told before that launch.
 */
export class CeilingJudge {
  readonly #config: Config
  #pinned: Permission = "acceptEdits"
  /** Since the launch was meant. */
  #read: Permission | undefined = undefined
  #told = false
  /** What a person has said, and what was in force when anything was opened. */
  readonly #words = new Set<Permission>(["acceptEdits"])

  constructor(config: Config) {
    this.#config = config
  }

  /** A person says so, or opens a watch or a run under it. */
  said(ceiling: Permission): void {
    this.#words.add(ceiling)
  }

  /** souffleur reads the file. */
  read(): Permission {
    this.#read = this.#config.ceiling
    return this.#read
  }

  record(event: WatchEvent | RunEvent): void {
    const violated = (what: string) => this.#config.violated(`${event._tag}: ${what}`)
    switch (event._tag) {
      case "WatchOpened":
      case "RunOpened":
      case "TrustGiven":
        this.#pinned = event.pin.ceiling
        this.#told = false
        if (!this.#words.has(this.#pinned)) violated(`nobody said ${this.#pinned}`)
        break
      case "ConfigOverreached":
        this.#told = true
        break
      case "ConfigWithdrawn":
        this.#told = false
        break
      case "StepStarted":
      case "AgentAsked":
        this.#read = undefined
        break
      case "LaunchPrepared":
      case "AgentPrepared": {
        // Of a command, and of a run's first launch, which asks for nothing more in these worlds.
        if (this.#read === undefined)
          return event.effective === "acceptEdits" ? undefined : violated("the file was not read for it")
        if (
          event.effective === "bypassPermissions" &&
          (this.#pinned !== event.effective || this.#read !== event.effective)
        )
          violated(`a launch above the ceiling: ${this.#pinned} is pinned, the file said ${this.#read}`)
        if (this.#read === "bypassPermissions" && this.#pinned === "acceptEdits" && !this.#told)
          violated("the file asks for more than is pinned, and nobody was told")
        break
      }
      default:
    }
  }
}
