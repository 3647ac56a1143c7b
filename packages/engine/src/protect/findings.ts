/** What `doctor` says about protect: how it goes, or that sessions of this machine will be deleted. */

import { basename } from "node:path";
import type { DoctorReport } from "@reprise/core/api/reprise";
import { command, verb } from "@reprise/core/errors/hint";
import { formatDuration, roughDuration } from "@reprise/core/text/duration";
import type { Engine } from "../engine.ts";
import { nativeHomes } from "./homes.ts";

type Finding = DoctorReport["findings"][number];

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;
/** How many ids are looked up in the store. */
const maxIds = 1000;

export async function protectFindings(engine: Engine): Promise<Finding[]> {
  const { store, home } = engine;
  const protection = await store.readProtection(home.hostId);
  const found =
    protection.onAt === null
      ? await expiring(engine)
      : [await progress(engine, protection.scannedAt)];
  const { length } = protection.unread;
  // Their names have ids of sessions, which a viewer does not see.
  const unread = finding(
    "warning",
    `${length === 1 ? "1 session file" : `${length} session files`} could not be read by the last scan.`,
    `To see which: ${verb("protect.scan")}`,
  );
  return length > 0 ? [...found, unread] : found;
}

async function progress(engine: Engine, scannedAt: number | null): Promise<Finding> {
  const { store, home, settings, now } = engine;
  const every = settings["protect.every"];
  const counts = await store.countKept(home.hostId);
  const sum = (of: (count: (typeof counts)[number]) => number) =>
    counts.reduce((total, count) => total + of(count), 0);
  const kept = `${sum(({ kept }) => kept)} sessions kept, ${sum(({ gone }) => gone)} of them gone from their homes, ${Math.ceil(sum(({ bytes }) => bytes) / 1024)} KiB`;
  const since = scannedAt === null ? null : now() - scannedAt;
  const last =
    since === null ? "no scan yet" : `last scan ${roughDuration(Math.max(0, since))} ago`;
  return since !== null && since <= 2 * every
    ? finding("ok", `${kept}; ${last}`)
    : finding(
        "warning",
        `${kept}; ${last}, although it is on`,
        `A server scans every ${formatDuration(every)} (${command("up --detach")}). To scan now: ${verb("protect.scan")}`,
      );
}

/** The homes whose programs delete sessions that Reprise does not have. */
async function expiring(engine: Engine): Promise<Finding[]> {
  const findings: Finding[] = [];
  const counts = await engine.store.countKept(engine.home.hostId);
  for (const { provider, native, agent, place, names } of await nativeHomes(engine)) {
    const retention = names.length === 0 ? null : await native.retention?.(agent);
    if (!retention) continue;
    const handles = names.flatMap((name) => uuid.exec(basename(name))?.[0] ?? []).slice(0, maxIds);
    const { name, title } = provider.manifest;
    const own = await engine.store.findPinned({ provider: name, handles });
    const scanned = counts.find((count) => count.provider === name && count.place === place);
    const kept = scanned ? scanned.kept - scanned.gone : 0;
    const others = names.length - kept - new Set(own.map(({ handle }) => handle)).size;
    if (others > 0)
      findings.push(
        finding(
          "warning",
          `${title} deletes sessions that are not used (${retention.why}); ${others === 1 ? "1 that Reprise does not keep is" : `${others} that Reprise does not keep are`} in ${place}.`,
          `To keep copies of them: ${verb("protect.set", { on: true })}`,
        ),
      );
  }
  return findings;
}

function finding(state: Finding["state"], text: string, hint: string | null = null): Finding {
  return { subject: "protect", state, text, hint };
}
