/** A command of souffleur alone, without a sign of a shell. */
const ownCommand = /^souffleur [a-z]+(?: [\w.-]+)*$/u

/** Holds if a text is one command of souffleur, and nothing that a shell obeys besides. */
export const isOwnCommand = (text: string): boolean => ownCommand.test(text)
