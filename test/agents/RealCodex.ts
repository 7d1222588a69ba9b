import type { RealAgent } from "./AgentLab.ts"

/** In a writable folder the sandbox makes a `.git` that is empty. In /tmp it would be everybody's repository. */
const configOf = (url: string) => `model = "test-model"
model_provider = "test"
check_for_update_on_startup = false
[model_providers.test]
name = "test"
base_url = "${url}/v1"
wire_api = "responses"
env_key = "TEST_KEY"
[analytics]
enabled = false
[sandbox_workspace_write]
exclude_slash_tmp = true
exclude_tmpdir_env_var = true
`

/** The real Codex, with `codex exec`. */
export const realCodex: RealAgent = {
  title: "Codex",
  words: ["codex", "exec", "--skip-git-repo-check"],
  resume: (sessionId) => ["codex", "exec", "resume", sessionId],
  flag: "--dangerously-bypass-approvals-and-sandbox",
  shell: { name: "exec_command", argument: "cmd" },
  files: (url) => ({ ".codex/config.toml": configOf(url) }),
  environment: () => ({ TEST_KEY: "none" }),
  config: ""
}
