import { Effect, FileSystem, Option, Runtime, Schema } from "effect"

/** The folder of the work is not there, or is no folder. */
export class ProjectMissing extends Schema.TaggedError<ProjectMissing>()("ProjectMissing", { project: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
  override get message(): string {
    return `there is no folder ${this.project}`
  }
}

/** Refuses work in a folder that is not there, with `ProjectMissing`. */
export const refuseMissing = Effect.fnUntraced(function* (project: string) {
  const fs = yield* FileSystem.FileSystem
  const isThere = yield* Effect.orElseSucceed(fs.exists(project), () => false)
  const found = yield* Effect.option(fs.stat(project))
  if (!isThere || Option.exists(found, ({ type }) => type !== "Directory"))
    return yield* new ProjectMissing({ project })
})
