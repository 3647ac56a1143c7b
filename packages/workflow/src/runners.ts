/** The names that a node may write as its `runner`. The caller passes them in: they come from the providers' manifests. */

import type { SettingsSchema } from "@reprise/core/settings/agent-settings";

export interface Runner {
  /** As a workflow file writes it, such as `claude-code`. */
  readonly name: string;
  /** The provider that drives it, such as `claude`; a file may write this name too. */
  readonly provider: string;
  /** False when Reprise knows the name but this installation has no provider for it. */
  readonly available: boolean;
  /** Its agents can ask a person for permission (`onDenied: ask`); false unless given. */
  readonly asks?: boolean;
  /** Outputs that its nodes have without declaring them, of type json. */
  readonly outputs?: readonly string[];
  /** The settings of its agents; not checked unless given. */
  readonly settings?: SettingsSchema;
}

/** Every word that a file may write: the names of runners and of their providers. */
export function runnerWords(runners: readonly Runner[]): string[] {
  return [
    ...new Set([...runners.map(({ name }) => name), ...runners.map(({ provider }) => provider)]),
  ];
}

/** The outputs that the runner adds to its nodes. Without a word the provider is known only when the run starts, so all of them. */
export function runnerOutputs(word: string | undefined, runners: readonly Runner[]): string[] {
  const meant = runners.filter(
    ({ name, provider }) => word === undefined || word === name || word === provider,
  );
  return [...new Set(meant.flatMap(({ outputs = [] }) => outputs))];
}

/** The provider for the word in a file; null when no provider has it. */
export function providerOfRunner(word: string, runners: readonly Runner[]): string | null {
  const runner =
    runners.find(({ name }) => name === word) ?? runners.find(({ provider }) => provider === word);
  return runner?.provider ?? null;
}

/** Why a node cannot run with this provider; null when it can, or when no runner names the provider. */
export function runnerProblem(
  provider: string,
  runners: readonly Runner[],
): { message: string; hint: string } | null {
  const runner = runners.find((each) => each.provider === provider);
  if (runner === undefined || runner.available) return null;
  const usable = runners.filter(({ available }) => available).map(({ name }) => name);
  return {
    message: `This version has no provider for the runner "${runner.name}".`,
    hint: `Use one of: ${usable.join(", ")}.`,
  };
}
