import { AgentCommandRefused } from "@souffleur/domain"
import type { AgentPackage } from "@souffleur/process"
import { Option, Result } from "effect"
import * as Scribe from "./Scribe.ts"

/** The scribe as a kind of agent: the facts about its program before a session is looked at. */
export const scribe: AgentPackage = {
  title: "Scribe",
  program: "scribe",
  folder: { variables: ["SCRIBE_DIR"], inHome: ".scribe" },
  sessions: "sessions",
  stall: Scribe.stall,
  marks: new Set(["SCRIBE_SESSION"]),
  identity: (variables) => ({
    sessionId: variables["SCRIBE_SESSION"] ?? "",
    pid: undefined,
    project: "",
    mark: variables["SCRIBE_SESSION"] === undefined ? undefined : "SCRIBE_SESSION"
  }),
  refusedAsRoot: [],
  recordsDollars: false,
  commitSetting: "the scribe commits nothing",
  typed: [],
  goOn: (sessionId) => `scribe ${sessionId}`,
  addTools: () => "the scribe takes no tools",
  owns: ([program]) => program === "scribe",
  parseCommand: (text) =>
    text === "scribe"
      ? Result.succeed({ program: text, args: [] })
      : Result.fail(new AgentCommandRefused({ problem: "the scribe takes no arguments" })),
  takeApart: ([program, prompt = "", ...more], agentCommand) =>
    Result.succeed(
      program === "scribe" && more.length === 0
        ? Option.some({ agentCommand, session: undefined, print: true, requested: "acceptEdits" as const, prompt })
        : Option.none()
    ),
  ofLaunch: ({ args }) => (args[0] === Scribe.program ? Option.some({ program: "scribe", args: [] }) : Option.none()),
  layer: Scribe.layer
}
