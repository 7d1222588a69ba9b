import { Permission } from "@souffleur/domain"
import type { FlagMeaning } from "./FlagTable.ts"

/** Makes the flag whose value is the prompt. `print`: the agent ends after its turn. */
export const promptFlag = (print: boolean): FlagMeaning => ({
  takes: "one",
  read: (prompt) => ({ print, prompt })
})
/** Makes the flag whose value is the id of a session. */
export const sessionFlag = (_tag: "Fresh" | "Resume"): FlagMeaning => ({
  takes: "one",
  read: (sessionId) => ({ session: { _tag, sessionId } })
})
/** The flag of an agent that ends after its turn. */
export const printFlag: FlagMeaning = { takes: "none", read: () => ({ print: true }) }
/** Makes the flag that asks for a permission. */
export const permissionFlag = (requested: Permission): FlagMeaning => ({ takes: "none", read: () => ({ requested }) })
/** Makes the flag whose value is the agent's own word for a permission. `otherwise`: the reason to refuse another. */
export const ceilingFlag = (words: Readonly<Partial<Record<Permission, string>>>, otherwise: string): FlagMeaning => ({
  takes: "one",
  read: (value) => {
    const requested = Permission.literals.find((one) => words[one] === value)
    return requested === undefined ? otherwise : { requested }
  }
})
