import type { Variables } from "@souffleur/domain"

const most = 8
const looksLikeKey = /^(?!SOUFFLEUR_)\w{1,100}_(?:KEY|TOKEN)$/u

/** Names the caller's variables that look like keys, and that an agent does not get. It reads no value. */
export const withheldKeys = (caller: Variables, given: Variables): ReadonlyArray<string> =>
  Object.keys(caller)
    .filter((name) => looksLikeKey.test(name) && given[name] === undefined)
    .toSorted()
    .slice(0, most)
