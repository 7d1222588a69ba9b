/** Returns whether a word is a flag. A single `-` is an argument: the standard input. */
export const isFlag = (word: string | undefined): word is string =>
  word !== undefined && word.length > 1 && word.startsWith("-")

/**
 * Refuses a flag with white space, which no flag has: it is a prompt that begins with a dash, such as front matter or
 * an entry of a list. `undefined`: it may be a flag.
 */
export const dashedPrompt = (flag: string): string | undefined =>
  /^-[^=]*\s/u.test(flag) ? "a prompt that begins with a dash is read as a flag: write it behind a --" : undefined

/** Splits `--flag=value` into the flag and its value. `undefined`: there is no value in the word. */
export const splitFlag = (word: string): readonly [flag: string, value: string | undefined] => {
  const at = word.startsWith("--") ? word.indexOf("=") : -1
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}
