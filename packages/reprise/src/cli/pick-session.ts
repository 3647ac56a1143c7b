/** `session import --pick`: lists the provider sessions of a folder, and asks which of them to continue. */

import type { AdoptSession, ProviderSessionView, Reprise } from "@reprise/core/api/reprise";
import { NotFoundError, UsageError } from "@reprise/core/errors/errors";
import { type SessionKey, sessionKey } from "@reprise/core/session/key";
import { defaultAgentIn } from "@reprise/core/session/policy";
import type { Cli } from "./cli.ts";
import { table } from "./format/table.ts";
import { age } from "./format/text.ts";
import { asking, isAnswerable } from "./input/ask.ts";

export interface Picking {
  readonly agent: string | undefined;
  readonly provider: string | undefined;
  readonly key: SessionKey | null;
  readonly folder: string | null;
}

/** What to adopt; null when nothing was chosen, or when there is no terminal and the list was only printed. */
export async function pickSession(
  cli: Cli,
  { agents }: Reprise,
  wanted: Picking,
): Promise<AdoptSession | null> {
  const agent = await agentFor(cli, agents, wanted);
  const found = await agents.providerSessions({ agent, folder: wanted.folder });
  if (cli.json) cli.document(found);
  else if (found.length === 0) cli.remark(`Agent ${agent} has no sessions of its program here.`);
  if (cli.json || found.length === 0) return null;
  const lines = listed(cli, found);
  if (!isAnswerable(cli)) {
    for (const line of lines) cli.out.line(line);
    const example = found.find(({ key }) => key === null);
    if (example)
      cli.remark(
        `Continue one with: reprise session import --provider ${example.provider} --id ${example.id} --key KEY --agent ${agent}`,
      );
    return null;
  }
  for (const line of lines) cli.err.line(line);
  return asking(cli, async (ask) => {
    const session = chosen(found, await ask(`Which one? [1-${found.length}, Enter for none]`));
    if (session === null) return null;
    const key = wanted.key ?? (await askForKey(ask, session));
    return { key, agent, provider: session.provider, id: session.id, folder: wanted.folder };
  });
}

function listed(cli: Cli, found: readonly ProviderSessionView[]): string[] {
  const now = cli.now();
  const rows = found.map((session, index) => ({ ...session, number: String(index + 1) }));
  return table<(typeof rows)[number]>(
    isAnswerable(cli) ? cli.err : cli.out,
    [
      { title: "", cell: ({ number }) => number, align: "right" },
      { title: "USED", cell: ({ usedAt }) => age(usedAt, now), align: "right" },
      { title: "ID", cell: ({ id }) => id, shrink: "middle" },
      { title: "KEY", cell: ({ key }) => key ?? "-", style: () => "bold", shrink: "middle" },
      { title: "FIRST PROMPT", cell: ({ prompt }) => prompt, shrink: "end" },
    ],
    rows,
  );
}

function chosen(found: readonly ProviderSessionView[], answer: string): ProviderSessionView | null {
  if (answer === "") return null;
  const session = /^\d+$/.test(answer) ? found[Number(answer) - 1] : undefined;
  if (session === undefined)
    throw new UsageError(
      "not-listed",
      `"${answer}" is not one of the numbers 1 to ${found.length}.`,
      "Run the command again, and type the number of a line.",
    );
  if (session.key !== null)
    throw new UsageError(
      "already-continued",
      `Session ${session.key} already continues that one.`,
      `Send to it: reprise send ${session.key} "…"`,
    );
  return session;
}

async function askForKey(
  ask: (question: string) => Promise<string>,
  { prompt }: ProviderSessionView,
): Promise<SessionKey> {
  const suggested = keyFrom(prompt);
  const answer = await ask(suggested ? `Key? [${suggested}]` : "Key?");
  return sessionKey(answer || suggested);
}

/** The first words of a prompt as a key; empty when it has none that a key may have. */
export function keyFrom(prompt: string): string {
  const words = prompt.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, 4).join("-").slice(0, 40);
}

/** The named agent, else the one that was chosen for the folder, else the only one. */
async function agentFor(
  { cwd, env }: Cli,
  agents: Reprise["agents"],
  { agent, provider, folder }: Picking,
): Promise<string> {
  if (agent !== undefined) return agent;
  const known = (await agents.list()).filter(
    (each) => provider === undefined || each.provider === provider,
  );
  const names = known.map(({ name }) => name);
  const { readSettings } = await import("@reprise/engine/config");
  const { values } = await readSettings({ flags: {}, env, cwd });
  const usual = defaultAgentIn(folder ?? cwd, values);
  if (usual !== null && names.includes(usual)) return usual;
  const [only, ...others] = names;
  if (only === undefined)
    throw new NotFoundError(
      "no-agent",
      provider === undefined
        ? "There are no agents yet."
        : `No agent uses the provider ${provider}.`,
      `Create one with "reprise agent create NAME --provider ${provider ?? "PROVIDER"}".`,
    );
  if (others.length > 0)
    throw new UsageError(
      "no-agent-named",
      `There are several agents: ${names.join(", ")}.`,
      "Name the one whose program has the conversation with --agent.",
    );
  return only;
}
