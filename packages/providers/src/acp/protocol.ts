/** The parts of the Agent Client Protocol (version 1) that Reprise uses, as agents send them. */

export const protocolVersion = 1;

export interface Initialized {
  readonly protocolVersion?: unknown;
  readonly agentInfo?: { readonly name?: unknown; readonly version?: unknown } | null;
  readonly agentCapabilities?: {
    readonly loadSession?: unknown;
    readonly sessionCapabilities?: { readonly resume?: unknown } | null;
  } | null;
  readonly authMethods?: readonly { readonly id?: unknown; readonly name?: unknown }[] | null;
}

/** What opening a session returns: `sessionId` of a new one, and what can be chosen in it. */
export interface OpenResult {
  readonly sessionId?: unknown;
  readonly modes?: {
    readonly currentModeId?: unknown;
    readonly availableModes?: readonly { readonly id?: unknown }[];
  } | null;
  /** Agents of earlier versions have this; later ones have an option of the category `model`. */
  readonly models?: {
    readonly currentModelId?: unknown;
    readonly availableModels?: readonly { readonly modelId?: unknown }[];
  } | null;
  readonly configOptions?: readonly ConfigOption[] | null;
}

export interface ConfigOption {
  readonly id?: unknown;
  readonly category?: unknown;
  readonly currentValue?: unknown;
  readonly options?: readonly ConfigValue[];
}

/** A value, or a group of them. */
export interface ConfigValue {
  readonly value?: unknown;
  readonly options?: readonly ConfigValue[];
}

export interface SessionUpdate {
  readonly sessionUpdate?: unknown;
  readonly content?: unknown;
}

export interface AgentToolCall {
  readonly toolCallId?: unknown;
  readonly kind?: unknown;
  readonly title?: unknown;
  readonly name?: unknown;
  readonly rawInput?: unknown;
  readonly locations?: readonly { readonly path?: unknown }[] | null;
  readonly content?: unknown;
}

export interface PermissionRequest {
  readonly toolCall?: AgentToolCall;
  readonly options?: readonly { readonly optionId?: unknown; readonly kind?: unknown }[];
}

export interface PromptResult {
  readonly stopReason?: unknown;
  readonly usage?: Readonly<Record<string, unknown>> | null;
  readonly _meta?: unknown;
}

/** The text of a chunk of a message; empty for images and other content. */
export function textOf({ content }: SessionUpdate): string {
  const { type, text } = (content ?? {}) as { type?: unknown; text?: unknown };
  return type === "text" && typeof text === "string" ? text : "";
}
