import { FleetWord } from "../event/FleetWord.ts"

/** The words about one watch, which raise no ceiling and trust no file. */
const ownCommand = new RegExp(`^souffleur (?:${[...FleetWord.literals, "resume", "why"].join("|")}) \\w[\\w.-]*$`, "u")

/**
 * Returns whether a text that another host wrote may be told as what to type there: one word about one watch, without a
 * flag, and nothing that a shell obeys besides (spec: fleet#words).
 */
export const isOwnCommand = (text: string): boolean => ownCommand.test(text)
