/** An unknown address. */

import { Link } from "wouter";
import { useTitle } from "../hooks/use-title.ts";
import { Empty } from "../parts/empty.tsx";

export function NotFoundPage() {
  useTitle("Not found");
  return (
    <Empty title="Page not found">
      <Link href="/" className="text-accent underline">
        Go to the inbox
      </Link>
    </Empty>
  );
}
