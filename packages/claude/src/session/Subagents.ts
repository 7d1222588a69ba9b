import { linesBelow } from "@souffleur/session"
import { Path } from "effect"
import { extension } from "./SessionFile.ts"

/** Lists the files of a session's subagents, at any depth (spec: claude-code#files). `file` is the session's own. */
export const subagentsOf = (file: string) =>
  Path.Path.use(({ join }) => linesBelow(join(file.slice(0, -extension.length), "subagents")))
