/** A turn in the provider's own program, which Reprise does not know of. */

import { spawn } from "node:child_process";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { ProviderRegistry } from "@reprise/providers/registry";
import { bySettings } from "@reprise/providers/test-access";
import { patience } from "../until.ts";
import type { Subject } from "./subject.ts";

/** Continues the session, or begins one; returns its id. */
export async function typeNatively(
  subject: Subject,
  prompt: string,
  id: string | null = null,
  flags: readonly string[] = [],
): Promise<string> {
  const { folder, env: ours } = subject;
  const provider = new ProviderRegistry().find(subject.provider);
  const agent = {
    name: "native",
    settings: subject.agentSettings(),
    privateFolder: join(subject.root, "private"),
    env: ours,
  };
  const cache = { read: async () => null, write: async () => {} };
  const { binary, runtime } = await provider.probe(agent, {
    cache,
    timeout: patience,
    digest: (words) => words,
  });
  const place = await provider.place(agent, folder);
  const newId = provider.manifest.ids === "caller" && id === null ? crypto.randomUUID() : null;
  const request = { agent, binary, runtime, folder, model: null, newId, access: bySettings };
  const command = provider.command({ ...request, resume: id === null ? null : { id, place } });
  const [file = "", ...args] = command.argv;
  const child = spawn(file, [...args, ...flags], { cwd: folder, env: { ...ours, ...command.env } });
  child.stdin.end(prompt);
  const closed = new Promise<number | null>((resolve) => child.once("close", resolve));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  if ((await closed) !== 0) throw new Error(`the native turn failed: ${stdout}${stderr}`);
  const reader = provider.reader();
  const events = stdout.split("\n").flatMap((line) => reader.line(line));
  return events.find((event) => event.type === "session")?.id ?? newId ?? "";
}
