/** Writes words for a shell of the Bourne kind, which takes each as it is. */
export const shellWords = (words: ReadonlyArray<string>): string =>
  words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")

/** Returns the words that `shellWords` wrote, in a text that may hold others between them. */
export const wordsOfShell = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/'[^']*'(?:\\''[^']*')*/gs)].map(([word]) => word.slice(1, -1).replaceAll("'\\''", "'"))
