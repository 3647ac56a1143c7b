/**
 * The version of the program that really ran. A probe is cached by the program's file, which does not change when it is
 * a wrapper script and the program behind it is upgraded; claude names its version in every turn.
 */

import { versionNotice } from "@reprise/core/session/decide";
import type { Notice } from "@reprise/core/session/decision";
import type { Pin, Runtime } from "@reprise/core/session/pin";
import type { Engine } from "../engine.ts";
import { type BoundAgent, probe } from "./observe.ts";
import type { LaunchedAttempt } from "./settle.ts";
import type { WatchedAttempt } from "./watch.ts";

/** Probes again, and replaces the cached probe, if the turn named a version that the probe did not find. */
export async function runtimeThatRan(
  engine: Engine,
  bound: BoundAgent,
  { launch: { runtime } }: LaunchedAttempt,
  { version }: WatchedAttempt,
  resumed: Pin | null,
): Promise<Runtime> {
  // A program may always name another version in its output than with --version.
  if (version === null || version === runtime.version || version === resumed?.reportedVersion)
    return runtime;
  const found = await probe(engine, bound, { writes: true, fresh: true }).catch(() => null);
  return found?.runtime ?? runtime;
}

/** The same notice as for a version that the probe found before the turn, which is not repeated. */
export function changedVersion(
  { launch }: LaunchedAttempt,
  { version }: WatchedAttempt,
  runtime: Runtime,
  resumed: Pin | null,
): Notice[] {
  if (version === null || resumed === null) return [];
  const isKnown = launch.runtime.version !== resumed.runtime.version;
  const probed = runtime.version === version ? resumed.runtime.version : version;
  const before = resumed.reportedVersion ?? probed;
  return isKnown || before === version ? [] : [versionNotice(before, version)];
}
