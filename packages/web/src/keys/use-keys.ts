/** Keyboard shortcuts: j and k move through rows, g and a letter opens a page, ? shows the list. */

import { useEffect } from "react";
import { useLocation } from "wouter";

const pages: Readonly<Record<string, string>> = { i: "/", r: "/runs", s: "/sessions", n: "/start" };
/** How long the letter after `g` may take, in milliseconds. */
const patience = 1_000;

export function useKeys(showHelp: () => void): void {
  const [, navigate] = useLocation();
  useEffect(() => {
    let goes = 0;
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]")) return;
      const page = event.timeStamp - goes < patience ? pages[event.key] : undefined;
      goes = event.key === "g" ? event.timeStamp : 0;
      if (page) navigate(page);
      else if (event.key === "j") move(1);
      else if (event.key === "k") move(-1);
      else if (event.key === "?") showHelp();
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [navigate, showHelp]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select");
}

function move(by: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.indexOf(document.activeElement as HTMLElement);
  const next = rows[at < 0 ? (by > 0 ? 0 : rows.length - 1) : at + by];
  next?.focus();
  next?.scrollIntoView({ block: "nearest" });
}
