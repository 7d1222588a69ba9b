import { Result } from "effect"

/** Names of so many variables of souffleur's own environment may be handed to agents beside the short list. */
const most = 50
const isName = (text: string) => /^[A-Za-z_][A-Za-z0-9_]{0,99}$/u.test(text)

/**
 * What changes which program runs, or loads code into it; what says whose launch a process is; where git would commit
 * instead.
 */
const forbidden = [
  /^(?:PATH|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|NODE_OPTIONS)$/u,
  /^(?:LD_|DYLD_|SOUFFLEUR_)/u,
  /^GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|OBJECT_DIRECTORY|NAMESPACE|CEILING_DIRECTORIES|EXEC_PATH|CONFIG.*)$/u
]

/**
 * The names that `AGENT_ENVIRONMENT` lists, comma-separated, each once; values stand in souffleur's own environment
 * alone. What is no name is not repeated: it may be a key that was pasted. `marks`: the variables that say whose
 * session a process is.
 */
export const parseAgentEnvironment =
  (marks: ReadonlySet<string>) =>
  (text: string): Result.Result<ReadonlyArray<string>, string> => {
    const names = [...new Set(text.split(",").map((name) => name.trim()))]
    if (names.length > most || !names.every(isName))
      return Result.fail(
        `must be at most ${most} names of variables, such as "GH_TOKEN,JAVA_HOME", without their values`
      )
    const refused = names.find((name) => marks.has(name) || forbidden.some((look) => look.test(name)))
    return refused === undefined
      ? Result.succeed(names)
      : Result.fail(`must not name ${refused}: it changes what is launched, or whose it is`)
  }
