/** The agent of a new session when its caller names none, by the folder that it starts in. */

/** The settings of these names. */
interface AgentChoices {
  readonly defaultAgent: string | null;
  readonly folderAgents: Readonly<Record<string, string | null>>;
}

/** The choice for the nearest folder at or above `folder`, else the one for all folders, else null. */
export function defaultAgentIn(
  folder: string,
  { defaultAgent, folderAgents }: AgentChoices,
): string | null {
  const nearest = Object.keys(folderAgents)
    .filter((each) => isWithin(folder, each))
    .sort((one, other) => other.length - one.length)[0];
  return nearest === undefined ? defaultAgent : (folderAgents[nearest] ?? null);
}

function isWithin(folder: string, outer: string): boolean {
  const prefix = outer.endsWith("/") ? outer : `${outer}/`;
  return `${folder}/`.startsWith(prefix);
}
