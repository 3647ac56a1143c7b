/** Finds the other process that uses a claude session, in the list of `claude agents --json`. */

import type { Handle } from "@reprise/core/session/pin";
import { askProgram } from "../program.ts";
import type { ProviderAgent } from "../provider.ts";

const timeout = 10_000;

interface Listed {
  readonly id?: string;
  readonly pid?: number;
  readonly kind?: string;
  readonly name?: string;
  readonly startedAt?: number;
  readonly sessionId?: string;
}

export async function holder(
  agent: ProviderAgent,
  binary: string,
  { id, place }: Handle,
): Promise<string | null> {
  const { CLAUDE_CODE_DISABLE_AGENT_VIEW: _, ...own } = agent.env;
  const env = { ...own, ...(agent.settings.home && { CLAUDE_CONFIG_DIR: place }) };
  // Without a timely answer the holder is unknown; the turn has failed anyway.
  const listed = await askProgram(binary, ["agents", "--json"], { env, timeout }).catch(() => null);
  return listed && holderIn(listed, id);
}

export function holderIn(listed: string, session: string): string | null {
  const found = parse(listed).find(({ sessionId }) => sessionId === session);
  if (found === undefined) return null;
  const { id, pid, kind, name, startedAt } = found;
  return [
    kind === "background" ? "a background session of claude" : "another claude",
    ...(id ? [id] : []),
    ...(name ? [`"${name.slice(0, 60)}"`] : []),
    ...(pid ? [`with pid ${pid}`] : []),
    ...(startedAt ? [`since ${new Date(startedAt).toISOString()}`] : []),
  ].join(" ");
}

function parse(text: string): Listed[] {
  try {
    const list: unknown = JSON.parse(text);
    return Array.isArray(list) ? (list as Listed[]) : [];
  } catch {
    return [];
  }
}
