/** The time of these tests, in epoch ms. */
export const noon = Date.UTC(2026, 2, 1, 12)

/** The recovery that runs then. */
export const recovery = {
  cycle: 1,
  trigger: "pid",
  purpose: "relaunch",
  since: noon,
  resumed: false,
  escalated: [],
  refused: [],
  steps: {},
  launch: undefined
} as const
