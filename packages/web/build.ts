/** Builds the page: plain files that the program serves, with nothing to fetch from elsewhere. */

import { createRequire } from "node:module";
import { join } from "node:path";
import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { build, type Rolldown } from "vite";

/** Writes it into `folder`; gives the files that it is made of. */
export async function buildPage(folder: string): Promise<string[]> {
  const { NODE_ENV } = process.env;
  // Vite believes the environment, and one that tests would bring React's development build along.
  process.env.NODE_ENV = "production";
  try {
    return await bundle(folder);
  } finally {
    if (NODE_ENV === undefined) delete process.env.NODE_ENV;
    else process.env.NODE_ENV = NODE_ENV;
  }
}

async function bundle(folder: string): Promise<string[]> {
  const result = await build({
    root: import.meta.dirname,
    configFile: false,
    logLevel: "error",
    plugins: [react({ jsxImportSource: "reprise" }), tailwindcss()],
    // Every text of the page goes through it.
    resolve: {
      alias: { "reprise/jsx-runtime": join(import.meta.dirname, "src/text/jsx-runtime.ts") },
    },
    build: {
      outDir: folder,
      emptyOutDir: true,
      // A data: address would need an exception in the page's content security policy.
      assetsInlineLimit: 0,
      reportCompressedSize: false,
    },
  });
  const { output } = result as Rolldown.RolldownOutput;
  const modules = output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
  // Its base styles are in the style sheet, which names no modules.
  return [...modules, createRequire(import.meta.url).resolve("tailwindcss")];
}
