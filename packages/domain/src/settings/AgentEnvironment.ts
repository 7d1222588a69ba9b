import { Result } from "effect"

/** The most names of souffleur's own variables that agents get beside the short list. */
const maxNames = 50
const isName = (text: string) => /^[A-Za-z_][A-Za-z0-9_]{0,99}$/u.test(text)

/**
 * Variables that are never handed on. They choose a program or load code into it, mark the owner of a launch, or
 * redirect git's commits.
 */
const forbidden = [
  /^(?:PATH|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|NODE_OPTIONS)$/u,
  /^(?:LD_|DYLD_|SOUFFLEUR_)/u,
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|NAMESPACE|CEILING_DIRECTORIES|EXEC_PATH|CONFIG.*)$/u
]

const wrongNames = `must be at most ${maxNames} names of variables, such as "GH_TOKEN,JAVA_HOME", without their values`

/** Refuses names that no launch may be given beside the short list; `undefined`: all of them may. */
export const refusedNames = (marks: ReadonlySet<string>, names: ReadonlyArray<string>): string | undefined => {
  if (names.length > maxNames || !names.every(isName)) return wrongNames
  const refused = names.find((name) => marks.has(name) || forbidden.some((pattern) => pattern.test(name)))
  return refused && `must not name ${refused}: it changes what is launched, or whose it is`
}

/**
 * Reads the names in `AGENT_ENVIRONMENT`, comma-separated, each once. Values are in souffleur's own environment alone.
 * A word that is no name is not repeated, since it may be a pasted key. `marks`: the variables that name the session of
 * a process.
 */
export const parseAgentEnvironment =
  (marks: ReadonlySet<string>) =>
  (text: string): Result.Result<ReadonlyArray<string>, string> => {
    const names = [...new Set(text.split(",").map((name) => name.trim()))]
    const refused = refusedNames(marks, names)
    return refused === undefined ? Result.succeed(names) : Result.fail(refused)
  }
