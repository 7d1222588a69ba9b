/** Makes a set of words, such as flags or subcommands. A blank parts the words of a line. */
export const wordSet = (...lines: ReadonlyArray<string>): ReadonlySet<string> =>
  new Set(lines.flatMap((line) => line.split(" ")))
