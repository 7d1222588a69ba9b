/** Counts the letters to put in, take out or change to make one word of another. */
export const letterDistance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, n) => n)
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1]
    for (const [j, wanted] of [...other].entries())
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + (letter === wanted ? 0 : 1)))
    row = next
  }
  return row[other.length]!
}
