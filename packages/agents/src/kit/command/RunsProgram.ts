const interpreter = /(?:^|\/)(?:bun|node)$/u

/**
 * Returns the arguments of a program, which an interpreter may run as its script. `undefined`: the command line is of
 * another. A word elsewhere in it may be a file, or a model of that name.
 */
export const argumentsOfProgram = (
  is: (word: string | undefined) => boolean,
  words: ReadonlyArray<string>
): ReadonlyArray<string> | undefined => {
  if (is(words[0])) return words.slice(1)
  if (!interpreter.test(words[0] ?? "")) return undefined
  const at = words.findIndex((word, index) => index > 0 && !word.startsWith("-"))
  return is(words[at]) ? words.slice(at + 1) : undefined
}
