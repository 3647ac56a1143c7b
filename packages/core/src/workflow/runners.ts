/** The programs that a node may name as its `runner`, and the provider that drives each. */

const providers = {
  "claude-code": "claude",
  codex: "codex",
  "gemini-cli": "gemini",
  opencode: "opencode",
  openai: "openai",
  acp: "acp",
  openclaw: "openclaw",
  scripted: "scripted",
} as const;

type Runner = keyof typeof providers;
type Provider = (typeof providers)[Runner];

export const runnerNames = Object.keys(providers) as Runner[];

/** What a file may write: the name of a runner, or of its provider. */
export const runnerWords: readonly (Runner | Provider)[] = [
  ...new Set([...runnerNames, ...Object.values(providers)]),
];

/** Those that this version has a provider for. */
const driven: readonly Provider[] = ["claude", "codex", "scripted"];

export const drivenRunners = runnerNames.filter((name) => driven.includes(providers[name]));

export function providerOfRunner(word: Runner | Provider): Provider {
  return word in providers ? providers[word as Runner] : (word as Provider);
}

/** Why no node can run with a provider that files may name; null when one can, or nobody knows it. */
export function runnerProblem(provider: string): { message: string; hint: string } | null {
  const name = runnerNames.find((runner) => providers[runner] === provider);
  if (name === undefined || drivenRunners.includes(name)) return null;
  return {
    message: `This version has no provider for the runner "${name}".`,
    hint: `Use one of: ${drivenRunners.join(", ")}.`,
  };
}
