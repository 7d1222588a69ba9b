import { type Brand, Schema } from "effect"

/** `acceptEdits < bypassPermissions`, the words of souffleur's own settings (spec: behaviour#permission-ceiling). */
export const Permission = Schema.Literals(["acceptEdits", "bypassPermissions"])
export type Permission = typeof Permission.Type
/** What every launch may have. */
export const leastPermission: Permission = "acceptEdits"
/** What only a ceiling of the same gives. */
export const mostPermission: Permission = "bypassPermissions"

/** The permission that a text names; `undefined`: it names none. Case-sensitive. */
export const permissionOf = (text: string): Permission | undefined => Permission.literals.find((one) => one === text)

/** A permission that went through {@link clamp}: the only kind a launch takes. */
export type EffectivePermission = Permission & Brand.Brand<"EffectivePermission">

/**
 * `min(requested, ceiling)`; what is no permission is `acceptEdits` (spec: behaviour#permission-ceiling).
 * Case-sensitive.
 */
export const clamp = (requested: string, ceiling: Permission): EffectivePermission =>
  (requested === "bypassPermissions" && ceiling === "bypassPermissions"
    ? "bypassPermissions"
    : "acceptEdits") as EffectivePermission

/** Why a launch got another permission than was asked for, without a word of what is none; `undefined`: it got that. */
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
