import { awayBy } from "@souffleur/process"

/**
 * Says what souffleur cannot see of a command that runs on another machine or in a container (spec:
 * behaviour#first-launch). `undefined`: no such client is seen in its words.
 */
export const awayNote = (words: ReadonlyArray<string>): string | undefined => {
  const client = awayBy(words)
  return client === undefined
    ? undefined
    : `${client} runs its work elsewhere, where souffleur sees nothing and ends nothing: where ${client} itself dies, the command is run again, beside what may still run there`
}
