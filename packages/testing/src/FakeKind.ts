import type { AgentKind } from "@souffleur/domain"
import { Duration, Option, Result } from "effect"

/** An agent kind for tests. Its program is `agent`, and no variable of the host is its mark. */
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
  takeApart: () => Result.succeedNone,
  ofLaunch: () => Option.none()
}
