import { accessCases } from "./c26-access.cases.ts";
import { type ScriptedSubject, startScripted } from "./scripted-subject.ts";

accessCases("scripted", startScripted, {
  write: (_, path) => `write file ${path}`,
  read: (_, path) => `read file ${path}`,
  run: (_, command) => `run command ${command}`,
  raising: {},
  sandboxes: false,
  asks: false,
  heard: (subject) => JSON.stringify((subject as ScriptedSubject).ledger("answer")),
});
