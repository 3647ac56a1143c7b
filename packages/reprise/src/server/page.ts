/** The page: the files of one folder, and its `index.html` for every other path. */

import { readFile, realpath } from "node:fs/promises";
import { extname, join, sep } from "node:path";

const types: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".webp": "image/webp",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
};

/** Only files of this server, and no inline scripts or styles. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join("; ");

const noPage = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Reprise</title>
<p>This is a Reprise server. It was built without its page; the API is at /v1, described in
<a href="/openapi.json">/openapi.json</a>.</p>
</html>
`;

/** `path` is that of the URL. Null when there is no such file, and the path is not one of the page's views. */
export async function pageFile(folder: string | null, path: string): Promise<Response | null> {
  const name = decoded(path);
  if (name === null) return null;
  const file = folder === null ? null : await readInside(folder, name);
  if (file !== null) return page(file, extname(name), name.startsWith("/assets/"));
  // Keys and ids may have dots in them.
  const isView = /^\/(?:inbox|runs|sessions)\//.test(name);
  if (extname(name) !== "" && !isView && name !== "/index.html") return null;
  const index = folder === null ? null : await readInside(folder, "/index.html");
  return page(index ?? noPage, ".html", false);
}

function page(content: Uint8Array | string, extension: string, named: boolean): Response {
  const bytes = Uint8Array.from(Buffer.from(content));
  return new Response(bytes, {
    headers: {
      "content-length": String(bytes.byteLength),
      "content-type": types[extension] ?? "application/octet-stream",
      "content-security-policy": policy,
      // A built asset has its digest in its name.
      "cache-control": named ? "public, max-age=31536000, immutable" : "no-cache",
    },
  });
}

function decoded(path: string): string | null {
  try {
    const name = decodeURIComponent(path);
    const parts = name.split(/[/\\]/);
    return name.includes("\0") || parts.includes("..") || parts.some(isHidden) ? null : name;
  } catch {
    return null;
  }
}

function isHidden(part: string): boolean {
  return part.startsWith(".");
}

/** Null when it is not a file, or a link leads out of the folder. */
async function readInside(folder: string, name: string): Promise<Uint8Array | null> {
  try {
    const [root, file] = await Promise.all([realpath(folder), realpath(join(folder, name))]);
    return file.startsWith(root + sep) ? await readFile(file) : null;
  } catch {
    return null;
  }
}
