/** Where processes killed themselves in a folder: noted in its file `deaths`, so that none dies twice at one point. */

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export function die(folder: string, point: object): void {
  appendFileSync(join(folder, "deaths"), `${JSON.stringify(point)}\n`);
  process.kill(process.pid, "SIGKILL");
}

/** In the order of the deaths. */
export function deathsIn<Point extends object>(folder: string): Point[] {
  const file = join(folder, "deaths");
  if (!existsSync(file)) return [];
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** Those of the points at which no process has died yet. */
export function remaining<Point extends object>(folder: string, points: readonly Point[]): Point[] {
  const deaths = deathsIn(folder).map((point) => JSON.stringify(point));
  return points.filter((point) => !deaths.includes(JSON.stringify(point)));
}
