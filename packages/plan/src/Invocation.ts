import type { Run } from "./run/Run.ts"

/** Quotes a word for a shell where it needs that. */
export const shellWord = (text: string) =>
  /^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`

/** Returns the command that resumes a run. It names the project unless `cwd` is the project. */
export const invocation = ({ plan, project }: Pick<Run, "plan" | "project">, cwd?: string): string =>
  `souffleur conduct ${shellWord(plan)}${cwd === project ? "" : ` --project-dir ${shellWord(project)}`}`
