/** Rewrites an opencode session's database for another folder. */

import type { ProviderFile, SessionLocation } from "../provider.ts";
import { changeImage } from "./session-image.ts";

/** Opencode finds a session by its folder; what the conversation mentions stays. An id is never changed. */
export function relocate(
  files: readonly ProviderFile[],
  from: SessionLocation,
  to: SessionLocation,
): ProviderFile[] {
  if (from.folder === to.folder) return [...files];
  return files.map(({ name, bytes }) => ({
    name,
    bytes: changeImage(bytes, (database) => {
      const path = to.folder.replace(/^\/+/, "");
      database
        .prepare("UPDATE session SET directory = ?, path = ? WHERE directory = ?")
        .run(to.folder, path, from.folder);
    }),
  }));
}
