import { Seed } from "../simulation/Seed.ts"

/** The seed of one input. It depends on no other input (FNV-1a, public domain). */
export const seedOf = (seed: number, border: string, input: number): Seed => {
  let hash = 0x811c9dc5
  for (const letter of `${seed} ${border} ${input}`) hash = Math.imul(hash ^ letter.charCodeAt(0), 0x01000193) >>> 0
  return new Seed(hash)
}
