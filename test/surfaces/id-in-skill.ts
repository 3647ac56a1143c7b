/** The id that the skill `adopt` tells Claude's model to adopt: Claude puts that of the conversation into the text. */

import type { ModelRequest } from "@reprise/providers/models/model";

export function idInSkill({ body }: Pick<ModelRequest, "body">): string {
  const [, id] = /`id: \\"([0-9a-f-]{36})\\"`/.exec(JSON.stringify(body)) ?? [];
  if (id === undefined) throw new Error("The model was sent no skill that names an id.");
  return id;
}
