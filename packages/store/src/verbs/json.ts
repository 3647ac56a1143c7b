/** Values that are stored as JSON text; null stays NULL. */

export function toJson(value: unknown): string | null {
  return value === null ? null : JSON.stringify(value);
}

export function fromJson<Value>(text: string): Value;
export function fromJson<Value>(text: string | null): Value | null;
export function fromJson(text: string | null): unknown {
  return text === null ? null : JSON.parse(text);
}
