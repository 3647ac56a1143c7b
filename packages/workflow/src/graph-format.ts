/** What a workflow can be drawn as. */

export const graphFormats = ["text", "mermaid", "dot"] as const;
export type GraphFormat = (typeof graphFormats)[number];
