/** A text that survives a reload and a visit to another page, in this tab. */

import { useState } from "react";

export function useDraft(name: string): readonly [string, (text: string) => void] {
  const [text, setText] = useState(() => sessionStorage.getItem(name) ?? "");
  const keep = (next: string) => {
    setText(next);
    if (next === "") sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, next);
  };
  return [text, keep];
}
