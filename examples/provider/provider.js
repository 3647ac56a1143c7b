// @ts-check
/** The provider of parrot. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  askProgram,
  defineProvider,
  examineProgram,
  jsonLine,
  messageDigest,
  NotFoundError,
  putBack,
  readFiles,
  readOnce,
  realPath,
  wholeLines,
} from "reprise/provider";

const ownProgram = fileURLToPath(new URL("./parrot.js", import.meta.url));

export default defineProvider({
  manifest: {
    name: "parrot",
    title: "Parrot",
    runners: ["parrot-cli"],
    program: { product: "parrot", tested: ["1.2.0"], install: "It comes with its provider." },
    abilities: ["resume", "keep-instructions", "fork-copy"],
    settings: {
      properties: {
        binary: { description: "Another parrot.js (absolute path).", format: "program" },
        home: { description: "Folder of its conversations.", format: "path" },
      },
    },
    access: {
      levels: {
        read: "It has no tools.",
        edit: "It has no tools.",
        full: "It has no tools.",
      },
      limits: [],
      asks: false,
      given: () => null,
    },
    ids: "caller",
    idPattern: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
    maxPrompt: 1024 * 1024,
    usage: "turn",
    checkpoint: "file",
    bridges: [],
  },

  async probe(agent, { cache, timeout }) {
    const binary = agent.settings.binary ?? ownProgram;
    if (!existsSync(binary))
      throw new NotFoundError(
        "no-program",
        `There is no parrot at ${binary}.`,
        "Correct the setting binary, or remove it.",
      );
    const { version } = await examineProgram(binary, cache, async () => {
      const said = await askProgram(process.execPath, [binary, "--version"], {
        env: agent.env,
        timeout,
      });
      return { version: said?.trim().split(" ")[1] ?? "unknown" };
    });
    const home = await homeOf(agent);
    return {
      binary,
      runtime: { product: "parrot", version, home, abilities: ["resume"] },
      account: null,
    };
  },

  command: ({ binary, runtime, resume, newId }) => ({
    argv: [
      process.execPath,
      binary,
      `--home=${resume?.place ?? runtime.home}`,
      resume ? `--resume=${resume.id}` : `--new=${newId}`,
    ],
    env: {},
  }),

  reader: () => ({
    line(line) {
      const { type, id, text } = jsonLine(line) ?? {};
      if (type === "conversation") return [{ type: "session", id: String(id) }];
      if (type === "answer") return [{ type: "result", text: String(text) }];
      return [];
    },
    end({ code, stderr }) {
      // Zero, a signal or no code: not a failure of the agent.
      if (code === null || code === 0 || code > 128) return [];
      const kind = code === 3 ? "missing" : "unknown";
      return [{ type: "failure", failure: { kind, message: stderr.trim() } }];
    },
  }),

  place: homeOf,

  async observe({ id, place }, hash, source = readOnce()) {
    const bytes = await source.readIfThere(join(place, fileOf(id)));
    if (bytes === null) return "missing";
    const lines = wholeLines(bytes)?.map(jsonLine);
    if (!lines || lines.includes(null)) return "unreadable";
    const items = lines.map((line) => {
      const role = line?.role === "user" ? "user" : "assistant";
      const text = String(line?.text);
      return { role, text, digest: messageDigest(role, text, hash) };
    });
    return { items, bytes: bytes.length, compacted: false };
  },

  copyOut: ({ id, place }, source) => readFiles(place, [fileOf(id)], source),
  copyIn: ({ place }, files, aside) => putBack(place, files, [], aside),
  relocate: (files, from, to) =>
    files.map(({ name, bytes }) => ({
      name: name === fileOf(from.id) ? fileOf(to.id) : name,
      bytes,
    })),
});

/** @param {import("reprise/provider").ProviderAgent} agent */
function homeOf({ settings, privateFolder }) {
  return realPath(settings.home ?? join(privateFolder, "parrot"));
}

/** @param {string} id */
function fileOf(id) {
  return `${id}.jsonl`;
}
