/** The capability matrix: what each provider can do, as Markdown, from their manifests alone. */

import { accessLevels } from "@reprise/core/session/access";
import { commonSettings } from "@reprise/core/settings/agent-settings";
import { abilitySentences, type ProviderAbility, type ProviderManifest } from "./manifest.ts";

export function capabilityMatrix(manifests: readonly ProviderManifest[]): string {
  return [
    table(
      ["", ...manifests.map(({ name }) => `**${name}**`)],
      rows.map(([title, cell]) => [title, ...manifests.map(cell)]),
    ),
    "## Access",
    table(
      ["provider", ...accessLevels, "not enforced"],
      manifests.map(({ name, access }) => [
        name,
        ...accessLevels.map((level) => access.levels[level] ?? "refused"),
        access.limits.join(" ") || "–",
      ]),
    ),
    "## Settings",
    ...manifests.flatMap(settingsSection),
  ].join("\n\n");
}

type Row = readonly [title: string, cell: (manifest: ProviderManifest) => string];

const checkpoints: Readonly<Record<ProviderManifest["checkpoint"], string>> = {
  file: "its own files",
  export: "what it exports",
  state: "its whole state",
  none: "none",
};

const rows: readonly Row[] = [
  ["Agent", ({ title }) => title],
  ["Runner in a workflow", ({ name, runners }) => code([...new Set([...runners, name])])],
  ["Tested with", ({ program }) => `${program.product} ${program.tested.join(", ")}`],
  ...Object.entries(abilitySentences).map(
    ([ability, sentence]): Row => [
      sentence,
      ({ abilities }) => (abilities.includes(ability as ProviderAbility) ? "yes" : "–"),
    ],
  ),
  [
    "Can ask you for a tool that is not allowed (`onDenied: ask`).",
    ({ access }) => (access.asks ? "yes" : "–"),
  ],
  ["Checkpoint", ({ checkpoint }) => checkpoints[checkpoint]],
  ["Id of a session", ({ ids }) => (ids === "caller" ? "chosen by Reprise" : "from the agent")],
  ["Usage is reported", ({ usage }) => (usage === "turn" ? "per turn" : "as a running total")],
  ["Largest prompt", ({ maxPrompt }) => `${Number((maxPrompt / 1024 / 1024).toFixed(1))} MiB`],
];

function settingsSection({ name, title, settings, program }: ProviderManifest): string[] {
  const { properties, patternProperties = {} } = settings;
  const described = [
    ...Object.entries(properties),
    ...Object.values(patternProperties).map((schema) => [schema.title, schema] as const),
    ...Object.entries(commonSettings),
  ];
  return [
    `### ${name}`,
    `${title[0]?.toUpperCase()}${title.slice(1)}. ${program.install}`,
    table(
      ["setting", "meaning"],
      described.map(([setting, { description, format }]) => [
        `\`${setting}\``,
        format === "secret" ? `${description} A secret: \`env:NAME\`.` : description,
      ]),
    ),
  ];
}

function code(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(", ");
}

function table(titles: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(titles), line(titles.map(() => "---")), ...lines.map(line)].join("\n");
}
