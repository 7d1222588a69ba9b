/** A `note` is worth knowing and breaks nothing. A `wrong` makes `doctor` end with 1. */
export type Level = "ok" | "note" | "wrong"

/** The result of one check, and what to do about it. */
export interface Finding {
  readonly check: string
  readonly level: Level
  readonly detail: string
  readonly todo: string | null
}

/** Makes a finding that asks for nothing. */
export const passed = (check: string, detail: string): Finding => ({ check, level: "ok", detail, todo: null })
/** Makes a finding that a person may want to know. `todo`: the command for it; `null`: there is none. */
export const note = (check: string, detail: string, todo: string | null = null): Finding => ({
  check,
  level: "note",
  detail,
  todo
})
/** Makes a finding without whose `todo` no watch works. */
export const wrong = (check: string, detail: string, todo: string): Finding => ({ check, level: "wrong", detail, todo })
