/** The agent's own shell tool. */
export interface Shell {
  readonly name: string
  /** The name of its argument. */
  readonly argument: string
  /** Other arguments that it asks for. */
  readonly more?: Readonly<Record<string, string>>
}

/** One request of the real agent, as the model sees it. */
export interface Asked {
  /** The last message of the user. */
  readonly said: string
  /** All messages and results, in one: what the model knows. */
  readonly known: string
  /** Of the last item; `undefined` when it is no result of a tool. */
  readonly toolResult: string | undefined
}

export interface Answer {
  readonly text?: string
  /** A command for the agent's own shell tool. */
  readonly shell?: string
  /** Another tool in its place, which gets that word. */
  readonly by?: Shell
  /** The reason of its end, as a gateway may say it. In the Responses API such an answer is incomplete. */
  readonly stopReason?: string
  /** The service does not say what it used. */
  readonly unmetered?: boolean
  /** A usage limit that ends at that time, seconds since the epoch. */
  readonly limitedUntil?: number
  /** Seconds after which the agent is to ask again. */
  readonly retryAfter?: number
  /** The service fails with that status: 401 refuses the login, and others may pass. */
  readonly fails?: number
  /** The connection is cut in the middle of the answer. */
  readonly torn?: boolean
  /** The conversation no longer fits the model. */
  readonly full?: boolean
}
