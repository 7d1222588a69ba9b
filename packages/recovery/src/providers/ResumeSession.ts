import { type Settings, stepNames, type Watch } from "@souffleur/domain"
import { Effect } from "effect"
import { promptToResume } from "../launch/LaunchPrompt.ts"
import { resumeInPlace } from "../steps/ResumableSession.ts"
import { stopConductor } from "../steps/StopConductor.ts"
import { Escalated, type Provider, type StepServices } from "../Provider.ts"

const name = "resume"
/** The ends within a turn after which the conversation itself is whole. */
const brokenOff: ReadonlySet<string | undefined> = new Set(["pid", "heartbeat", "hang", "handover"])

/**
 * Returns whether the session is to be resumed first. A cycle keeps to the way that it has begun: RECOVERY may have
 * changed since, and a cycle launches once.
 */
const isChosen = ({ comms, recovery }: Watch, settings: Settings["Service"]): boolean => {
  const { [stepNames.export]: exporting, [stepNames.session]: looking } = recovery?.steps ?? {}
  if (looking !== undefined || exporting !== undefined) return looking !== undefined
  return (settings.recovery ?? (comms === null ? "resume" : "export")) === "resume"
}

/**
 * Resumes in place the session of a Conductor that was killed, hung, or stopped for a failed hand-over (spec:
 * behaviour#resume).
 */
export const resumeSession: Provider<StepServices> = {
  name,
  applies: (watch, settings) =>
    watch.handedFrom === undefined && brokenOff.has(watch.recovery?.trigger) && isChosen(watch, settings),
  foresee: (watch) => [{ _tag: "Agent", session: "same", prompt: promptToResume(watch) }],
  recover: Effect.fn("recover")(function* (watch: Watch, { alreadyKilled, request }) {
    // The cause of the second death may be in the session itself.
    if (watch.provider === name && watch.retries > 0)
      return yield* new Escalated({
        stage: "session",
        message: "the resumed session died again without progress",
        alreadyKilled
      })
    if (!alreadyKilled) yield* stopConductor(watch)
    return yield* resumeInPlace(watch, request, {
      steps: { prepare: "prepare to resume in place", launch: "resume in place" },
      prompt: promptToResume(watch)
    })
  })
}
