/**
 * The manifest of a provider: everything about its agent that can be said without starting it. It is the only registry:
 * the command line's help, the checks of workflows and settings, `doctor`, the API and docs/providers/README.md read it.
 */

import type { Access } from "@reprise/core/session/access";
import type { Ability } from "@reprise/core/session/pin";
import type { SettingSchema, SettingsSchema } from "@reprise/core/settings/agent-settings";
import type { Bridge } from "./define-provider.ts";

export type { SettingSchema, SettingsSchema };

/** Changes when a provider that was written for the version before would no longer work. */
export const contractVersion = 1;

/** What an agent can do, one sentence each. `probe` says which of the first two the installed program has. */
export const abilitySentences = {
  resume: "Continues a provider session by its id.",
  "model-on-resume": "Can change the model when it continues a session.",
  "keep-instructions": "Keeps its instructions in the session.",
  "fork-copy": "Forks a session by copying its files, at any turn.",
  "fork-command": "Forks a session with its own command, at the last turn.",
  compact: "Compacts a session with its own command.",
  open: "Has its own program in which a person can continue the session.",
  questions: "Can ask a question in a turn; the turn waits for the answer.",
  schema: "Accepts a JSON Schema for its answer.",
  rewind: "Records in its sessions when a person rewound them in its own program.",
} as const satisfies Readonly<Record<string, string>>;

export type ProviderAbility = Ability | keyof typeof abilitySentences;

/** How the agent's program enforces what Reprise lets it do. */
export interface AccessMapping {
  /** How each level is enforced, one sentence each. A level that is missing is refused before a launch. */
  readonly levels: Readonly<Partial<Record<Access, string>>>;
  /** What the provider cannot enforce, one sentence each. */
  readonly limits: readonly string[];
  /** The agent can ask a person for a tool that is not allowed (`onDenied: ask`). */
  readonly asks: boolean;
  /** The access that these settings grant by themselves; null when they do not mention it. */
  given(settings: Readonly<Record<string, string>>): Access | null;
}

/** The program that the provider starts. */
export interface ProgramManifest {
  /** `product` of the runtime that `probe` finds. A fork of it has another one. */
  readonly product: string;
  /** Versions that the provider was tested with. `doctor` warns about a newer one. */
  readonly tested: readonly string[];
  /** How to get it: one sentence, with the command. */
  readonly install: string;
  /** How to log in: one sentence, with the command. Absent: it needs no login. */
  readonly login?: string;
}

export interface ProviderManifest {
  /** As in `agent create --provider NAME`: lower-case letters, digits and `-`. */
  readonly name: string;
  /** What people call the agent, such as "Claude Code". */
  readonly title: string;
  /** Names that a workflow may write as `runner`; the provider's own name is always one. */
  readonly runners: readonly string[];
  /** Outputs that a workflow node of this agent has without declaring them, such as `conversationHistory`; of type json. */
  readonly outputs?: readonly string[];
  readonly program: ProgramManifest;
  readonly abilities: readonly ProviderAbility[];
  readonly settings: SettingsSchema;
  readonly access: AccessMapping;
  /** `caller`: Reprise chooses the id of a new session, a UUID. `captured`: the agent names it. */
  readonly ids: "caller" | "captured";
  /** What an id of this provider looks like. */
  readonly idPattern: RegExp;
  /** Largest prompt on standard input, in bytes. */
  readonly maxPrompt: number;
  /** `turn`: the agent reports the usage of each turn. `session`: it reports a running total of its session. */
  readonly usage: "turn" | "session";
  /**
   * Present: a resumed session keeps the model of its previous turn unless another is named; this is the name of the
   * program's default model.
   */
  readonly defaultModel?: string;
  /**
   * What `copyOut` returns. `file`: the session's own files. `export`: what the program exports, and imports again.
   * `state`: the whole state of an agent behind an API, which a bridge keeps. `none`: nothing; the history cannot be
   * read, so nothing is restored and a lost session starts again from the transcript.
   */
  readonly checkpoint: "file" | "export" | "state" | "none";
  /** Small executables that the provider starts. */
  readonly bridges: readonly Bridge[];
}

/** Names of the settings that are paths. */
export function pathSettings({ settings }: Pick<ProviderManifest, "settings">): string[] {
  return settingsWith(settings, "path");
}

/** Names of the settings that are programs, alone or with their arguments. */
export function programSettings({ settings }: Pick<ProviderManifest, "settings">): string[] {
  return [...settingsWith(settings, "program"), ...settingsWith(settings, "command")];
}

function settingsWith({ properties }: SettingsSchema, format: SettingSchema["format"]): string[] {
  return Object.keys(properties).filter((name) => properties[name]?.format === format);
}

/** The settings as JSON Schema, for editors, the API and the page. */
export function settingsJsonSchema({ properties, patternProperties = {} }: SettingsSchema) {
  const plain = ({ separator: _, format, ...schema }: SettingSchema) => ({
    type: "string",
    ...schema,
    ...(format === "secret" ? { pattern: "^env:", writeOnly: true } : {}),
  });
  const all = (schemas: Readonly<Record<string, SettingSchema>>) =>
    Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, plain(schema)]));
  return {
    type: "object",
    properties: all(properties),
    patternProperties: all(patternProperties),
    additionalProperties: false,
  };
}
