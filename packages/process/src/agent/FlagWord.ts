/** Returns whether a word is a flag. A single `-` is an argument: the standard input. */
export const isFlag = (word: string | undefined): word is string =>
  word !== undefined && word.length > 1 && word.startsWith("-")

/** Splits `--flag=value` into the flag and its value. `undefined`: there is no value in the word. */
export const splitFlag = (word: string): readonly [flag: string, value: string | undefined] => {
  const at = word.startsWith("--") ? word.indexOf("=") : -1
  return at === -1 ? [word, undefined] : [word.slice(0, at), word.slice(at + 1)]
}
