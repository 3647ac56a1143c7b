import { expect, test } from "vitest";
import { homeFolder } from "./home.ts";

test.each([
  ["the flag first", "home", { REPRISE_HOME: "/env", XDG_STATE_HOME: "/state" }, "/here/home"],
  ["then REPRISE_HOME", undefined, { REPRISE_HOME: "env", XDG_STATE_HOME: "/state" }, "/here/env"],
  [
    "then the XDG state folder",
    undefined,
    { XDG_STATE_HOME: "/state", HOME: "/me" },
    "/state/reprise",
  ],
  [
    "which must be absolute",
    undefined,
    { XDG_STATE_HOME: "state", HOME: "/me" },
    "/me/.local/state/reprise",
  ],
  ["else below HOME", undefined, { HOME: "/me", REPRISE_HOME: "" }, "/me/.local/state/reprise"],
])("%s", (_, flag, env, home) => {
  expect(homeFolder(flag, { env, cwd: "/here" })).toBe(home);
});
