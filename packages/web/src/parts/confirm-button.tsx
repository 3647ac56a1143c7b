/** A button for what cannot be undone: it asks first, in a dialog. */

import { useId, useRef } from "react";
import { Button } from "./button.tsx";

interface ConfirmButtonProps {
  readonly label: string;
  readonly question: string;
  /** What happens then. */
  readonly about: string;
  /** The label of the button that does it. */
  readonly confirm: string;
  readonly primary?: boolean;
  readonly disabled?: boolean;
  readonly onConfirm: () => void;
}

export function ConfirmButton(props: ConfirmButtonProps) {
  const { label, question, about, confirm, primary = false, disabled, onConfirm } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const text = useId();
  return (
    <>
      <Button primary={primary} disabled={disabled} onClick={() => dialog.current?.showModal()}>
        {label}
      </Button>
      <dialog
        ref={dialog}
        aria-labelledby={heading}
        aria-describedby={text}
        className="m-auto w-[min(26rem,calc(100%-2rem))] rounded-lg border border-line bg-surface p-5 text-left text-text"
      >
        <h2 id={heading} className="text-lg font-semibold">
          {question}
        </h2>
        <p id={text} className="mt-2 text-sm text-muted">
          {about}
        </p>
        <div className="mt-4 flex flex-wrap justify-end gap-2">
          <Button onClick={() => dialog.current?.close()}>Back</Button>
          <Button
            primary
            onClick={() => {
              dialog.current?.close();
              onConfirm();
            }}
          >
            {confirm}
          </Button>
        </div>
      </dialog>
    </>
  );
}
