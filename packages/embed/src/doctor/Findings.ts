import { answersMeaning, leastPin, noPrograms, Processes, type ResolvedSettings, Settings } from "@souffleur/domain"
import { HookFiles } from "@souffleur/node"
import { answersProblem, channelProblem } from "@souffleur/notify"
import { Effect, Layer } from "effect"
import { layerAgent, layerAgentFiles } from "../world/AgentLayers.ts"
import { trustOf } from "../world/ConfigTrust.ts"
import { Installation } from "../world/Installation.ts"
import { readHere } from "../world/ReadHere.ts"
import { layerHost } from "../world/StoreLayers.ts"
import { commsCheck } from "./CommsCheck.ts"
import { passed, wrong } from "./Finding.ts"
import { gateCheck } from "./GateCheck.ts"
import { hooksCheck } from "./HooksCheck.ts"
import { pidCheck } from "./PidCheck.ts"
import { pluginCheck } from "../setup/PluginCheck.ts"
import { runsCheck } from "./RunsCheck.ts"
import { setupCheck, systemCheck } from "./SetupCheck.ts"
import { stateFolderCheck } from "./StateFolderCheck.ts"
import { pinned, trustCheck } from "./TrustCheck.ts"
import { windowCheck } from "../window/WindowCheck.ts"

/**
 * Checks the trust in the config file. A damaged record of trust is a finding too, and nothing of the file that needs
 * trust counts then.
 */
const trustFinding = Effect.fnUntraced(function* (project: string) {
  return yield* Effect.map(trustOf(project), (trust) => ({
    settings: trust.settings,
    finding: trustCheck(trust)
  })).pipe(
    Effect.catchTag("ConfigUntrusted", ({ message }) =>
      Effect.map(readHere(project, {}, { ...leastPin, programs: noPrograms }), ({ settings }) => ({
        settings,
        finding: wrong("trust", message, "look at the config file, then: souffleur config --trust")
      }))
    )
  )
})

/** The settings, and the files of the agent, which are read even where the agent cannot be launched. */
const evidence = (settings: ResolvedSettings) =>
  Layer.mergeAll(
    Layer.catch(layerAgent(settings), () => layerAgentFiles(settings)),
    HookFiles.layer(settings.stateDir),
    Layer.succeed(Settings, settings)
  ).pipe(Layer.provideMerge(layerHost))

/** Checks the channels of notices. It sends nothing. */
const noticesCheck = Effect.fn("noticesCheck")(function* ({ notify, notifyAnswers, stateDir }: ResolvedSettings) {
  const { platform, variables } = yield* Installation
  const answers = notifyAnswers === "yes" ? yield* answersProblem(notify, { variables, stateDir }) : undefined
  const said =
    answers === undefined
      ? []
      : [
          answers === null
            ? passed("answers", answersMeaning)
            : wrong("answers", answers, "put it right, or unset SOUFFLEUR_NOTIFY_ANSWERS")
        ]
  const channels = yield* Effect.forEach(notify, (channel) =>
    Effect.map(channelProblem(channel, { platform, variables, stateDir }), (problem) =>
      problem === null
        ? passed("notices", `${channel._tag} is ready`)
        : wrong("notices", `${channel._tag}: ${problem}`, "put it right, then: souffleur notify --test")
    )
  )
  return [...channels, ...said]
})

/** Checks what a watch in a project needs, and whether a process could be watched (spec: command-line#doctor). */
export const findings = Effect.fn("findings")(function* (project: string, { pid }: { readonly pid?: number } = {}) {
  const { finding, settings } = yield* trustFinding(project)
  const { uid } = yield* Effect.provide(
    Effect.map(Processes, ({ host }) => host),
    layerHost
  )
  const kept = yield* stateFolderCheck(settings)
  const readable = kept.findings.some(({ check, level }) => check === "event log" && level === "ok")
  return [
    ...systemCheck((yield* Installation).platform),
    ...(yield* setupCheck(settings, project, uid)),
    finding,
    ...pinned(kept.watches),
    ...(yield* Effect.provide(gateCheck(project, kept.watches), evidence(settings))),
    ...(pid === undefined ? [] : yield* Effect.provide(pidCheck(pid, kept.watches), evidence(settings))),
    ...(yield* Effect.provide(windowCheck(settings, project, kept.watches, pid), evidence(settings))),
    ...(yield* hooksCheck(settings, project)),
    ...(yield* pluginCheck(settings)),
    ...(yield* noticesCheck(settings)),
    ...kept.findings,
    ...(readable ? yield* runsCheck(settings, project) : []),
    ...(yield* commsCheck(settings, project, kept.watches))
  ]
})
