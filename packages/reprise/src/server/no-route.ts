/** The answer for an unknown path: the methods that it has, or the nearest known path. */

import { suggestion } from "@reprise/core/errors/suggestion";
import { HttpError } from "./http-error.ts";

/** As in the router: `/v1/turns/:turn`, and `ALL` for handlers that check the method themselves. */
export interface KnownRoute {
  readonly method: string;
  readonly path: string;
}

export function noRoute(places: readonly KnownRoute[], method: string, path: string): HttpError {
  const known = places.filter((place) => place.method !== "ALL" && !place.path.includes("*"));
  const here = known.filter((place) => isAt(place.path, path));
  const shown = path.slice(0, 100);
  if (here.length > 0) {
    const methods = [...new Set(here.map((place) => place.method))];
    return new HttpError(
      405,
      "wrong-method",
      `${method} is not known at ${shown}.`,
      `Use ${methods.join(" or ")}; nothing was changed.`,
      { allow: methods.join(", ") },
    );
  }
  return new HttpError(404, "no-route", `There is nothing at ${shown}.`, hint(known, path));
}

function hint(known: readonly KnownRoute[], path: string): string {
  const all = "See /openapi.json for all routes.";
  const shorter = path.replace(/\/+$/, "");
  if (shorter !== path && known.some((place) => isAt(place.path, shorter)))
    return "Leave out the slash at the end.";
  const nearest = suggestion(
    path.slice(0, 100),
    known.map((place) => place.path.replaceAll(/:(\w+)/g, "{$1}")),
  );
  return nearest === null ? all : `Did you mean ${nearest}? ${all}`;
}

function isAt(pattern: string, path: string): boolean {
  const [parts, names] = [pattern.split("/"), path.split("/")];
  return (
    parts.length === names.length &&
    parts.every((part, index) =>
      part.startsWith(":") ? names[index] !== "" : part === names[index],
    )
  );
}
