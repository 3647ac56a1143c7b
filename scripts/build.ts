/** `npm run build`: bundles the program into `packages/reprise/dist`, with nothing left to install beside it. */

import {
  copyFileSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { build as bundle, type RolldownOutput } from "rolldown";
import { builtInProviders } from "../packages/providers/src/registry.ts";
import { buildPage } from "../packages/web/build.ts";
import { writeDeclarations } from "./declarations.ts";
import { copyDocuments } from "./documents.ts";
import { root } from "./files.ts";

const program = path.join(root, "packages/reprise");
const engine = path.join(root, "packages/engine");
const store = path.join(root, "packages/store");
const cache = path.join(root, ".cache");
const bridges = Object.fromEntries(
  builtInProviders
    .flatMap(({ manifest }) => manifest.bridges)
    .map(({ name, source }) => [name, source]),
);
const errors = path.join(root, "packages/core/src/errors/errors.ts");
const manifest = JSON.parse(readFileSync(path.join(program, "package.json"), "utf8"));

/** What a program can import: the file of each entry in the package's `exports`. */
function publicEntries(): { client: string } & Record<string, string> {
  const targets = Object.values<{ default: string }>(manifest.exports);
  const names = targets.map((target) => path.basename(target.default, ".js"));
  const fileOf = (name: string) => path.join(program, `src/${name}.ts`);
  return Object.assign(
    { client: fileOf("client") },
    ...names.map((name) => ({ [name]: fileOf(name) })),
  );
}

export async function build(): Promise<void> {
  const { client, ...entries } = publicEntries();
  mkdirSync(cache, { recursive: true });
  const scratch = mkdtempSync(path.join(cache, "build-"));
  try {
    const made = path.join(scratch, "made");
    const main = await bundleForNode({
      input: { main: path.join(program, "src/cli/main.ts"), ...entries, errors },
      folder: made,
      groups: chunks,
    });
    // Threads and bridges load only what they use themselves.
    const small = await bundleForNode({
      input: {
        "reading-host": path.join(engine, "src/thread/reading-host.ts"),
        "function-host": path.join(engine, "src/run/work/function-host.ts"),
        ...bridges,
      },
      folder: made,
      groups: [],
    });
    copyFileSync(
      createRequire(path.join(engine, "package.json")).resolve(
        "@jitl/quickjs-ng-wasmfile-release-sync/wasm",
      ),
      path.join(made, "quickjs.wasm"),
    );
    const page = await buildPage(path.join(made, "web"));
    const modules = [...main, ...small, ...(await buildClient({ client, folder: made })), ...page];
    writeFileSync(path.join(made, "licenses.txt"), licenses(modules));
    writeDeclarations({
      scratch: path.join(scratch, "declarations"),
      folder: path.join(made, "types"),
      entries: ["client", ...Object.keys(entries)],
      installed: Object.keys(manifest.peerDependencies ?? {}),
    });
    // Only a whole build takes the place of the last one.
    const dist = path.join(program, "dist");
    if (existsSync(dist)) renameSync(dist, path.join(scratch, "last"));
    renameSync(made, dist);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  copyDocuments(program);
}

/**
 * What each of these loads at once, beyond those before it, is in one file, since every file costs time at each
 * start. The errors are by themselves, because the client shares them.
 */
const loadedTogether = {
  errors,
  manifest: path.join(program, "package.json"),
  program: path.join(program, "src/cli/program.ts"),
  send: path.join(program, "src/cli/turn-run.ts"),
  reach: path.join(program, "src/cli/reach.ts"),
  engine: path.join(engine, "src/open-reprise.ts"),
};

/** With each of them comes all that it imports statically. */
const chunks = Object.entries(loadedTogether).map(([name, file], index, all) => {
  // The bundler takes a test that fits no file without a word.
  if (!existsSync(file)) throw new Error(`The file of the chunk "${name}" does not exist: ${file}`);
  return { name, test: (id: string) => id === file, priority: all.length - index };
});

async function bundleForNode({
  input,
  folder,
  groups,
}: {
  input: Record<string, string>;
  folder: string;
  groups: typeof chunks;
}): Promise<string[]> {
  const { output } = await bundle({
    cwd: root,
    platform: "node",
    input,
    output: {
      dir: folder,
      format: "esm",
      // All in one folder, so that a module finds the bridges beside itself.
      entryFileNames: "[name].js",
      chunkFileNames: "[name]-[hash].js",
      codeSplitting: { groups },
      sourcemap: true,
    },
    onLog(level, log) {
      if (level === "warn") throw new Error(log.message);
    },
  });
  return modulesOf(output);
}

/**
 * The client by itself: a browser takes it, and nothing that needs Node is in it. It shares the file of the
 * error classes with the library, so that `instanceof` works with the errors of both.
 */
async function buildClient(options: { client: string; folder: string }): Promise<string[]> {
  const { output } = await bundle({
    cwd: root,
    platform: "browser",
    input: { client: options.client },
    output: { dir: options.folder, format: "esm", entryFileNames: "[name].js", sourcemap: true },
    plugins: [
      {
        name: "shared-errors",
        async resolveId(source, importer) {
          const found = await this.resolve(source, importer, { skipSelf: true });
          return found?.id === errors ? { id: "./errors.js", external: true } : found;
        },
      },
    ],
    onLog(level, log) {
      if (level === "warn") throw new Error(log.message);
    },
  });
  return modulesOf(output);
}

function modulesOf(output: RolldownOutput["output"]): string[] {
  return output.flatMap((part) => (part.type === "chunk" ? part.moduleIds : []));
}

/** The licences of the packages that are in the bundle, which go where their code goes. */
function licenses(modules: readonly string[]): string {
  const packages = modules.flatMap(
    (module) => /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(module) ?? [],
  );
  const interpreter = readFileSync(path.join(engine, "licenses/quickjs-ng.txt"), "utf8");
  const texts = [...new Set(packages)].sort().map((folder) => {
    const name = path.basename(folder);
    const [file] = globSync("{LICENSE,LICENCE,license}*", { cwd: folder });
    if (file) return `${name}\n\n${readFileSync(path.join(folder, file), "utf8").trim()}\n`;
    // From its readme, which is the only place in the package that has it.
    const copied = path.join(store, "licenses", `${name}.txt`);
    if (existsSync(copied)) return `${name}\n\n${readFileSync(copied, "utf8").trim()}\n`;
    const manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8"));
    // It is given to the public, and asks for no text beside it.
    if (manifest.license === "Unlicense") return `${name}\n\n${manifest.license}\n`;
    throw new Error(`${folder} is bundled, but has no licence that could go with it`);
  });
  return [...texts, `quickjs-ng, in quickjs.wasm\n\n${interpreter}`].join("\n\n");
}

if (import.meta.main) await build();
