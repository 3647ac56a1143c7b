/** A button: the one thing to do here, or one of several. */

import type { ButtonHTMLAttributes } from "react";

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly primary?: boolean;
}

export const plainButton =
  "inline-flex min-h-9 items-center justify-center gap-1.5 rounded-md border border-line bg-surface px-3 py-1.5 text-sm font-medium text-text hover:bg-sunken disabled:opacity-60";
const primaryButton =
  "inline-flex min-h-9 items-center justify-center gap-1.5 rounded-md border border-accent bg-accent px-3 py-1.5 text-sm font-medium text-on-accent hover:opacity-90 disabled:opacity-60";

export function Button({ primary = false, className = "", ...rest }: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      className={`${primary ? primaryButton : plainButton} ${className}`}
    />
  );
}
