/** Finds the built page: beside the bundle, or where the build puts it in a clone. */

import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

const places = ["./web/", "../../dist/web/"];

/** Null when it was not built. */
export function pageFolder(): string | null {
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)));
  return folders.find((folder) => existsSync(`${folder}index.html`)) ?? null;
}
