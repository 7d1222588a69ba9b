import { Runtime, Schema } from "effect"

/** git cannot answer: there is no repository, no git, or it failed. `problem` is a sentence. */
export class GitUnusable extends Schema.TaggedError<GitUnusable>()("GitUnusable", {
  project: Schema.String,
  problem: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `${this.project}: ${this.problem}`
  }
}
