import { Schedule } from "effect"

/** How often we look whether a process that was told to end is gone. */
export const untilGone = Schedule.spaced("100 millis")

/** After SIGKILL only the kernel can delay an end; longer than this, it is not provably gone (spec §2, Stop). */
export const killedWithin = "5 seconds"
