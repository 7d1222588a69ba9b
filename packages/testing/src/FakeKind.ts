import { type AgentKind, leastPermission } from "@souffleur/domain"
import { Duration, Option, Result } from "effect"

/**
 * An agent kind for tests. `agent` and the words of a prompt are its command, as `run` takes it, and no variable of the
 * host is its mark.
 */
export const fakeKind: AgentKind = {
  title: "Fake Agent",
  program: "agent",
  folder: { variables: ["FAKE_AGENT_DIR"], inHome: ".agent" },
  sessions: "sessions",
  stall: Duration.seconds(361),
  marks: new Set(["FAKE_AGENT_SESSION"]),
  identity: (variables) => ({
    sessionId: variables["FAKE_AGENT_SESSION"] ?? "",
    pid: undefined,
    project: "",
    mark: undefined
  }),
  refusedAsRoot: [],
  recordsDollars: true,
  commitSetting: "it commits where COMMIT is set",
  typed: [],
  goOn: (sessionId) => `agent ${sessionId}`,
  addTools: (name, command) => `agent tools ${name} ${command}`,
  owns: ([program]) => program === "agent",
  parseCommand: (text) => Result.succeed({ program: text, args: [] }),
  takeApart: ([program = "", ...words]) =>
    Result.succeed(
      program === "agent"
        ? Option.some({
            agentCommand: { program, args: [] },
            session: undefined,
            print: true,
            requested: leastPermission,
            prompt: words.join(" ")
          })
        : Option.none()
    ),
  ofLaunch: () => Option.none()
}
