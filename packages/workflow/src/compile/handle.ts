/** The handles of an edge: at which port or dock of a node it begins and ends. */

export type EdgeHandle =
  | { readonly at: "output" | "input"; readonly name: string; readonly internal: boolean }
  | { readonly at: "dock"; readonly name: string; readonly side: DockSide }
  /** The target waits, but no value is passed. */
  | { readonly at: "wait" };

const dockSides = ["output", "input", "prev", "current"] as const;
export type DockSide = (typeof dockSides)[number];

const internal = ":internal";

/** Null if the text is not a handle. */
export function parseHandle(text: string): EdgeHandle | null {
  if (text === "wait") return { at: "wait" };
  const cut = text.indexOf(":");
  if (cut < 0) return null;
  const kind = text.slice(0, cut);
  const rest = text.slice(cut + 1);
  if (kind === "dock") {
    const end = rest.lastIndexOf(":");
    const side = dockSides.find((known) => known === rest.slice(end + 1));
    return end > 0 && side ? { at: "dock", name: rest.slice(0, end), side } : null;
  }
  if (kind !== "input" && kind !== "output") return null;
  const isInternal = rest.endsWith(internal);
  const name = isInternal ? rest.slice(0, -internal.length) : rest;
  return name === "" ? null : { at: kind, name, internal: isInternal };
}
