/** Outputs or inputs by their names: texts as they are, all else as JSON. */

import { TextBlock } from "./text-block.tsx";

export function Values({ values }: { readonly values: Readonly<Record<string, unknown>> }) {
  const entries = Object.entries(values);
  if (entries.length === 0) return <p className="text-sm text-muted">None.</p>;
  return (
    <div className="space-y-3">
      {entries.map(([name, value]) => (
        <TextBlock
          key={name}
          label={value === "" ? `${name} (empty)` : name}
          text={textOf(value)}
        />
      ))}
    </div>
  );
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value, null, 2);
}
