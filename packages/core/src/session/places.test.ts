import { describe, expect, test } from "vitest";
import { pin } from "./example.ts";
import { type Pin, rebasedPin, resolvedPin, storedFolders, storedPin } from "./pin.ts";

const root = "/home/me/.reprise";

/** The folder, the agent's home and the place of the session, as they are and as they are stored. */
const cases: [what: string, places: Places, stored: Places][] = [
  [
    "in Reprise's home",
    [`${root}/runs/7`, `${root}/agents/coder`, `${root}/agents/coder`],
    ["@home/runs/7", "@home/agents/coder", "@agent-home"],
  ],
  ["the home itself", [root, root, root], ["@home", "@home", "@agent-home"]],
  [
    "below the agent's home",
    ["/project", "/home/me/.agent", "/home/me/.agent/sessions"],
    ["/project", "/home/me/.agent", "@agent-home/sessions"],
  ],
  [
    "in the work folder",
    ["/project", "/project/.agent", "/project/other"],
    ["/project", "@workspace/.agent", "@workspace/other"],
  ],
  [
    "in a home that lies in the work folder",
    ["/home/me", `${root}/agents/coder`, `${root}/agents/coder`],
    ["/home/me", "@home/agents/coder", "@agent-home"],
  ],
  [
    "elsewhere, with a similar beginning",
    [`${root}2`, "/homes/scripted", "/homes/scripted2"],
    [`${root}2`, "/homes/scripted", "/homes/scripted2"],
  ],
  ["everywhere", ["/", "/", "/"], ["/", "/", "/"]],
  ["no paths", ["/project", "", "thread-7"], ["/project", "", "thread-7"]],
];

type Places = [folder: string, home: string, place: string];

function pinAt([folder, home, place]: Places): Pin {
  const fork = { key: "source", by: "copy", source: { id: "s-0", place } } as const;
  return {
    ...pin,
    handle: { id: "s-1", place },
    fork,
    folder,
    runtime: { ...pin.runtime, home },
  };
}

describe("places", () => {
  test.each(cases)("%s", (_, places, stored) => {
    expect(storedPin(pinAt(places), root)).toEqual(pinAt(stored));
    expect(resolvedPin(pinAt(stored), root)).toEqual(pinAt(places));
    expect(resolvedPin(storedPin(pinAt(places), null), null)).toEqual(pinAt(places));
  });

  test("a stored pin fits after Reprise's home has moved", () => {
    const before = pinAt([`${root}/runs/7`, `${root}/agents/coder`, `${root}/agents/coder`]);
    const after = pinAt(["/mnt/runs/7", "/mnt/agents/coder", "/mnt/agents/coder"]);
    expect(resolvedPin(storedPin(before, root), "/mnt")).toEqual(after);
  });

  test("a pin that was stored with absolute paths is read as it is", () => {
    for (const [, places] of cases) expect(resolvedPin(pinAt(places), root)).toEqual(pinAt(places));
  });

  test("the provider's files move, the work folder does not", () => {
    const there = rebasedPin(pinAt(["/a/work", "/a", "/a/sessions"]), "/a", "/b");
    expect(there).toEqual(pinAt(["/a/work", "/b", "/b/sessions"]));
    expect(there.fork?.source?.place).toBe("/b/sessions");
  });

  test.each([
    ["/project", ["/project"]],
    [root, [root, "@home"]],
    [`${root}/runs`, [`${root}/runs`, "@home/runs"]],
    ["/home/me", ["/home/me", "@home"]],
    ["/", ["/", "@home"]],
    ["/home/m", ["/home/m"]],
  ])("pins in %s begin with %j", (folder, beginnings) => {
    expect(storedFolders(folder, root)).toEqual(beginnings);
    expect(storedFolders(folder, null)).toEqual([folder]);
  });
});
