/**
 * What makes the elements of the page: React's own, with one difference. Characters that reorder text are
 * written out in every text, so that no name, title or answer can be read as something else. What people
 * edit (`value` of a field) and what is sent to the server stay as they are.
 */

import { visibleControls } from "@reprise/core/text/visible-controls";
import type { Key, ReactElement } from "react";
import { Fragment, jsx as make, jsxs as makeMany } from "react/jsx-runtime";

export { Fragment };

type Props = Readonly<Record<string, unknown>>;
type Maker = (type: never, props: never, key?: Key) => ReactElement;

/** For components as well: those of libraries create their elements without this runtime. */
const children = ["children"];
/** With the attributes that are shown or read out. */
const all = [...children, "title", "alt", "aria-label", "aria-description", "placeholder"];

export const jsx = safe(make as Maker);
export const jsxs = safe(makeMany as Maker);

function safe(maker: Maker): Maker {
  return (type: never, props: never, key?: Key) =>
    maker(type, shown(props, typeof type === "string" ? all : children) as never, key);
}

function shown(props: Props, names: readonly string[]): Props {
  let changed: Record<string, unknown> | null = null;
  for (const name of names) {
    const value = props[name];
    const visible = visibleIn(value);
    if (visible !== value) changed = { ...(changed ?? props), [name]: visible };
  }
  return changed ?? props;
}

function visibleIn(value: unknown): unknown {
  if (typeof value === "string") return visibleControls(value);
  if (!Array.isArray(value)) return value;
  const visible = value.map(visibleIn);
  return visible.some((each, index) => each !== value[index]) ? visible : value;
}
