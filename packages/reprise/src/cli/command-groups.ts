/** The groups of the program's help; every command is in one. Everyday commands come first. */

import type { CommandGroup } from "./help.ts";

export const commandGroups: readonly CommandGroup[] = [
  [
    "Everyday commands:",
    [
      ...["send", "why", "run", "inbox", "approve", "reject", "answer", "status"],
      ...["session list", "session show"],
    ],
  ],
  ["Sessions and agents:", ["session", "explain", "agent", "provider", "usage"]],
  ["Runs and workflows:", ["runs", "show", "logs", "cancel", "rerun", "workflow"]],
  ["Server and access:", ["up", "down", "token", "passphrase", "webhook", "mcp"]],
  [
    "Home and settings:",
    ["doctor", "protect", "config", "backup", "restore", "migrate", "completion", "demo"],
  ],
];
