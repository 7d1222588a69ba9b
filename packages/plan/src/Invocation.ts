import type { Run } from "./run/Run.ts"

/** A word as a shell takes it for one. */
const word = (text: string) => (/^[\w@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** What a person types to go on with a run, in that folder or, where nobody knows which, in any. */
export const invocation = ({ plan, project }: Pick<Run, "plan" | "project">, cwd?: string): string =>
  `souffleur conduct ${word(plan)}${cwd === project ? "" : ` --project-dir ${word(project)}`}`
