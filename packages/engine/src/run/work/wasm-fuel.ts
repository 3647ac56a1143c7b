/**
 * Adds a meter to a WebAssembly module: every iteration of a loop uses one unit of fuel, and without fuel
 * the module stops. Code without loops cannot run for long, so every call ends after a set amount of work.
 * The fuel is an exported global named `fuel`, full at first, which the host sets.
 *
 * Reads the binary format of WebAssembly 2.0; vectors and exceptions are refused.
 */

const section = { custom: 0, import: 2, global: 6, export: 7, code: 10 };
const kind = { function: 0, table: 1, memory: 2, global: 3 };
const op = { unreachable: 0x00, loop: 0x03, if: 0x04, end: 0x0b, get: 0x23, set: 0x24 };
const i32 = { type: 0x7f, const: 0x41, eqz: 0x45, sub: 0x6b };
const nothing = 0x40;
const mutable = 1;
/** -1: the largest unsigned value. */
const full = 0x7f;
const headerLength = 8;

export function withFuel(module: Uint8Array): Uint8Array<ArrayBuffer> {
  const reader = new Reader(module, headerLength);
  const parts: Uint8Array[] = [module.subarray(0, headerLength)];
  let globals = 0;
  let meter: Uint8Array = new Uint8Array();
  while (!reader.atEnd) {
    const id = reader.byte();
    const content = reader.bytes(reader.number());
    // Custom sections may refer to code offsets, which change here.
    if (id === section.custom) continue;
    if (id === section.import) globals += importedGlobals(content);
    if (id !== section.global && id !== section.export && id !== section.code) {
      parts.push(sectionOf(id, content));
      continue;
    }
    if (id === section.global) {
      const own = new Reader(content).number();
      const fuel = bytes(i32.type, mutable, i32.const, full, op.end);
      meter = meterOf(globals + own);
      globals += own;
      parts.push(sectionOf(id, withOneMore(content, fuel)));
    }
    if (id === section.export) {
      const name = new TextEncoder().encode("fuel");
      const entry = [...number(name.length), ...name, kind.global, ...number(globals)];
      parts.push(sectionOf(id, withOneMore(content, bytes(...entry))));
    }
    if (id === section.code) parts.push(sectionOf(id, metered(content, meter)));
  }
  return joined(parts);
}

/** The instructions to put at the beginning of every loop. */
function meterOf(fuel: number): Uint8Array {
  const index = number(fuel);
  return bytes(
    ...[op.get, ...index, i32.eqz, op.if, nothing, op.unreachable, op.end],
    ...[op.get, ...index, i32.const, 1, i32.sub, op.set, ...index],
  );
}

function metered(code: Uint8Array, meter: Uint8Array): Uint8Array {
  const reader = new Reader(code);
  const count = reader.number();
  const parts: Uint8Array[] = [bytes(...number(count))];
  for (let left = count; left > 0; left -= 1) {
    const body = meteredBody(reader.bytes(reader.number()), meter);
    parts.push(bytes(...number(body.length)), body);
  }
  return joined(parts);
}

function meteredBody(body: Uint8Array, meter: Uint8Array): Uint8Array {
  const reader = new Reader(body);
  for (let locals = reader.number(); locals > 0; locals -= 1) reader.skip(2);
  const parts: Uint8Array[] = [];
  let copied = 0;
  while (!reader.atEnd) {
    if (!skipInstruction(reader)) continue;
    parts.push(body.subarray(copied, reader.at), meter);
    copied = reader.at;
  }
  return joined([...parts, body.subarray(copied)]);
}

/** Skips the next instruction; true if a loop begins there. */
function skipInstruction(reader: Reader): boolean {
  const code = reader.byte();
  if (code === 0x0e) for (let labels = reader.number(); labels >= 0; labels -= 1) reader.skip(1);
  else if (code === 0x1c) reader.skip(reader.number());
  else if (code === 0x43) reader.bytes(4);
  else if (code === 0x44) reader.bytes(8);
  else if (code === 0xfc) reader.skip(wideOperands(reader.number()));
  else reader.skip(operands(code));
  return code === op.loop;
}

/** The number of operands of a one-byte instruction. */
function operands(code: number): number {
  if (code >= 0x02 && code <= 0x04) return 1;
  if (code === 0x0c || code === 0x0d || code === 0x10 || code === 0x12) return 1;
  if (code === 0x11 || code === 0x13) return 2;
  if (code >= 0x20 && code <= 0x26) return 1;
  if (code >= 0x28 && code <= 0x3e) return 2;
  if (code >= 0x3f && code <= 0x42) return 1;
  if (code === 0xd0 || code === 0xd2) return 1;
  const isPlain = [0x00, 0x01, 0x05, 0x0b, 0x0f, 0x1a, 0x1b, 0xd1].includes(code);
  if (isPlain || (code >= 0x45 && code <= 0xc4)) return 0;
  throw new Error(`Unknown instruction 0x${code.toString(16)}.`);
}

/** The same for instructions with the prefix 0xfc: conversions, then copies and fills. */
function wideOperands(code: number): number {
  if (code <= 7) return 0;
  if ([8, 10, 12, 14].includes(code)) return 2;
  if (code <= 17) return 1;
  throw new Error(`Unknown instruction 0xfc ${code}.`);
}

function importedGlobals(imports: Uint8Array): number {
  const reader = new Reader(imports);
  let globals = 0;
  for (let left = reader.number(); left > 0; left -= 1) {
    for (const _ of ["module", "name"]) reader.bytes(reader.number());
    const what = reader.byte();
    if (what === kind.function) reader.skip(1);
    else if (what === kind.global) {
      reader.skip(2);
      globals += 1;
    } else {
      if (what === kind.table) reader.skip(1);
      const hasMax = (reader.byte() & 1) === 1;
      reader.skip(hasMax ? 2 : 1);
    }
  }
  return globals;
}

function withOneMore(list: Uint8Array, entry: Uint8Array): Uint8Array {
  const reader = new Reader(list);
  const count = reader.number();
  return joined([bytes(...number(count + 1)), list.subarray(reader.at), entry]);
}

function sectionOf(id: number, content: Uint8Array): Uint8Array {
  return joined([bytes(id, ...number(content.length)), content]);
}

function bytes(...values: number[]): Uint8Array {
  return Uint8Array.from(values);
}

/** LEB128: seven bits in each byte, the lowest first. */
function number(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)];
}

function joined(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

class Reader {
  readonly #bytes: Uint8Array;
  at: number;

  constructor(bytes: Uint8Array, at = 0) {
    this.#bytes = bytes;
    this.at = at;
  }

  get atEnd(): boolean {
    return this.at >= this.#bytes.length;
  }

  byte(): number {
    const value = this.#bytes[this.at];
    if (value === undefined) throw new Error("The module ends too early.");
    this.at += 1;
    return value;
  }

  bytes(length: number): Uint8Array {
    const end = this.at + length;
    if (end > this.#bytes.length) throw new Error("The module ends too early.");
    const found = this.#bytes.subarray(this.at, end);
    this.at = end;
    return found;
  }

  number(): number {
    let value = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.byte();
      value |= (byte & 0x7f) << shift;
      if (byte < 0x80) return value >>> 0;
    }
  }

  /** Skips numbers of any size, signed or unsigned. */
  skip(numbers: number): void {
    for (let left = numbers; left > 0; left -= 1) while (this.byte() >= 0x80);
  }
}
