/** A framed part of a page under a heading of its own. */

import type { ReactNode } from "react";

interface CardProps {
  readonly title: string;
  readonly beside?: ReactNode;
  readonly children: ReactNode;
}

export function Card({ title, beside, children }: CardProps) {
  return (
    <section aria-label={title} className="min-w-0 rounded-lg border border-line bg-surface">
      <header className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2.5">
        <h2 className="font-semibold">{title}</h2>
        {beside}
      </header>
      <div className="p-4">{children}</div>
    </section>
  );
}
