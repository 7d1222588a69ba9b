import type { Variables } from "@souffleur/domain"

const most = 8
const looksLikeKey = /^(?!SOUFFLEUR_)\w{1,100}_(?:KEY|TOKEN)$/u

/** Names the caller's variables that look like keys, and that an agent does not get. It reads no value. */
export const withheldKeys = (caller: Variables, given: Variables): ReadonlyArray<string> =>
  Object.keys(caller)
    .filter((name) => looksLikeKey.test(name) && given[name] === undefined)
    .toSorted()
    .slice(0, most)

/** Says which of these keys an agent does not get, and how it gets them; `undefined`: there are none. */
export const withheldNote = (names: ReadonlyArray<string>): string | undefined =>
  names.length === 0
    ? undefined
    : `the agent does not get ${names.join(", ")}: where it needs ${names.length === 1 ? "it" : "them"}, set SOUFFLEUR_AGENT_ENVIRONMENT=${names.join(",")}`
