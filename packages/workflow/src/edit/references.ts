/** References to a node in the texts of a workflow: in templates, and as `step.port` in the short form. */

/** `coder.output` for the node `coder`, also where ids contain dots; null if it refers to another one. */
export function portOf(reference: string, id: string, ids: ReadonlySet<string>): string | null {
  if (reference === id) return "";
  const cut = reference.lastIndexOf(".");
  // A step `a.b` is meant before an output `b` of `a`.
  if (cut < 0 || ids.has(reference) || reference.slice(0, cut) !== id) return null;
  return reference.slice(cut + 1);
}

export function renamedReference(
  reference: string,
  { id, to, ids }: { readonly id: string; readonly to: string; readonly ids: ReadonlySet<string> },
): string {
  const port = portOf(reference, id, ids);
  if (port === null) return reference;
  return port === "" ? to : `${to}.${port}`;
}

const place = /(\\?)\{\{(\s*)([^{}]*?)(\s*)\}\}/g;

/** The text with every `{{ id.port }}` renamed; the spaces between the braces stay. */
export function renamedTemplate(
  text: string,
  names: { readonly id: string; readonly to: string; readonly ids: ReadonlySet<string> },
): string {
  return text.replace(
    place,
    (whole, backslash: string, before: string, name: string, after: string) =>
      backslash !== "" || !name.includes(".")
        ? whole
        : `{{${before}${renamedReference(name, names)}${after}}}`,
  );
}
