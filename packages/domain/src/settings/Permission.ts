import { type Brand, Schema } from "effect"

/** `acceptEdits < bypassPermissions`, the words of souffleur's own settings (spec: behaviour#permission-ceiling). */
export const Permission = Schema.Literals(["acceptEdits", "bypassPermissions"])
export type Permission = typeof Permission.Type
/** The permission that every launch may have. */
export const leastPermission: Permission = "acceptEdits"
/** The permission that only an equal ceiling allows. */
export const mostPermission: Permission = "bypassPermissions"

/** What each permission lets an agent do, for a person who chooses. */
export const permissionMeanings: Readonly<Record<Permission, string>> = {
  acceptEdits: "it may edit files, and its own rules say what else it may run",
  bypassPermissions: "it may run any command without a question, where you start it so"
}

/** Reads a permission; `undefined`: the text names none. Case-sensitive. */
export const permissionOf = (text: string): Permission | undefined =>
  Permission.literals.find((permission) => permission === text)

/** A permission that went through {@link clamp}. A launch takes no other kind. */
export type EffectivePermission = Permission & Brand.Brand<"EffectivePermission">

/**
 * Returns `min(requested, ceiling)`. A text that is no permission counts as `acceptEdits` (spec:
 * behaviour#permission-ceiling). Case-sensitive.
 */
export const clamp = (requested: string, ceiling: Permission): EffectivePermission =>
  (requested === "bypassPermissions" && ceiling === "bypassPermissions"
    ? "bypassPermissions"
    : "acceptEdits") as EffectivePermission

/**
 * What a session may do by its own newest record. `plan`: it changes nothing before a person has approved its plan.
 * `asks`: a person is asked before it changes anything.
 */
export const SessionMode = Schema.Literals(["plan", "asks", ...Permission.literals])
export type SessionMode = typeof SessionMode.Type

/**
 * Returns the permission of a launch, and the lower mode of its session that it is held to; `null`: its session had no
 * lower one (spec: behaviour#permission-ceiling).
 */
export const granted = (
  requested: string,
  ceiling: Permission,
  mode: SessionMode | undefined
): { readonly effective: EffectivePermission; readonly heldTo: SessionMode | null } => {
  const effective = clamp(requested, ceiling)
  return mode === undefined || mode === mostPermission || mode === effective
    ? { effective, heldTo: null }
    : { effective: clamp(leastPermission, ceiling), heldTo: mode }
}

const modesInWords: Readonly<Record<SessionMode, string>> = {
  plan: "no person has approved the plan of its session, and it plans on",
  asks: "its session asks a person before it changes anything, and goes on so",
  acceptEdits: "its session had acceptEdits",
  bypassPermissions: "its session had bypassPermissions"
}

/** Says why a launch got another permission than requested; `undefined`: it got that. It repeats no unknown word. */
export const clampInWords = ({
  effective,
  heldTo,
  requested
}: {
  readonly requested: string
  readonly effective: Permission
  readonly heldTo: SessionMode | null
}): string | undefined => {
  if (heldTo !== null) return modesInWords[heldTo]
  if (requested === effective) return undefined
  return requested === "bypassPermissions"
    ? `permission ${requested} was asked for, ${effective} is the ceiling`
    : `a permission was asked for that no launch may have: it gets ${effective}`
}
