/** Shown while the server is asked. */
export function Loading() {
  return (
    <p role="status" className="py-6 text-sm text-muted">
      Loading…
    </p>
  );
}
