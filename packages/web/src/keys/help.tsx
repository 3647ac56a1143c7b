/** The shortcuts, in a dialog. */

import { type RefObject, useId } from "react";
import { Button } from "../parts/button.tsx";

const shortcuts = [
  ["j", "next row"],
  ["k", "previous row"],
  ["Enter", "open the row"],
  ["g i", "go to the inbox"],
  ["g r", "go to the runs"],
  ["g s", "go to the sessions"],
  ["g n", "start a run"],
  ["?", "show this"],
  ["Escape", "close this"],
] as const;

export function Help({ dialog }: { readonly dialog: RefObject<HTMLDialogElement | null> }) {
  const heading = useId();
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      className="m-auto w-[min(24rem,calc(100%-2rem))] rounded-lg border border-line bg-surface p-5 text-text"
    >
      <h2 id={heading} className="text-lg font-semibold">
        Keyboard
      </h2>
      <dl className="my-4 grid grid-cols-[auto_1fr] items-baseline gap-x-4 gap-y-2 text-sm">
        {shortcuts.map(([key, does]) => (
          <div key={key} className="contents">
            <dt>
              <kbd className="rounded border border-line bg-sunken px-1.5 py-0.5 font-mono text-xs">
                {key}
              </kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <Button onClick={() => dialog.current?.close()}>Close</Button>
    </dialog>
  );
}
