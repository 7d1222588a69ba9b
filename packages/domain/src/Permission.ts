import { type Brand, Schema } from "effect"

/** `acceptEdits < bypassPermissions` (spec §2, Permission ceiling). */
export const Permission = Schema.Literals(["acceptEdits", "bypassPermissions"])
export type Permission = typeof Permission.Type

/** A permission that went through {@link clamp}: the only kind a launch takes. */
export type EffectivePermission = Permission & Brand.Brand<"EffectivePermission">

export interface Clamped {
  readonly effective: EffectivePermission
  readonly warning: string | undefined
}

/** `min(requested, ceiling)`; what is no permission is `acceptEdits`, with a warning (spec §2). Case-sensitive. */
export const clamp = (requested: string, ceiling: Permission): Clamped => {
  const effective = (
    requested === "bypassPermissions" && ceiling === "bypassPermissions" ? "bypassPermissions" : "acceptEdits"
  ) as EffectivePermission
  const known = requested === "acceptEdits" || requested === "bypassPermissions"
  return { effective, warning: known ? undefined : "the permission mode asked for is none that a launch may have: acceptEdits is used" }
}
