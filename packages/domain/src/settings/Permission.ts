import { type Brand, Schema } from "effect"

/** `acceptEdits < bypassPermissions`, the words of souffleur's own settings (spec: behaviour#permission-ceiling). */
export const Permission = Schema.Literals(["acceptEdits", "bypassPermissions"])
export type Permission = typeof Permission.Type
/** The permission that every launch may have. */
export const leastPermission: Permission = "acceptEdits"
/** The permission that only an equal ceiling allows. */
export const mostPermission: Permission = "bypassPermissions"

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

/** Says why a launch got another permission than requested; `undefined`: it got that. It repeats no unknown word. */
export const clampInWords = ({
  effective,
  requested
}: {
  readonly requested: string
  readonly effective: Permission
}): string | undefined => {
  if (requested === effective) return undefined
  return requested === "bypassPermissions"
    ? `permission ${requested} was asked for, ${effective} is the ceiling`
    : `a permission was asked for that no launch may have: it gets ${effective}`
}
