/** Shown while the server is asked. */
export function LoadingNote() {
  return (
    <p role="status" className="py-6 text-sm text-muted">
      Loading…
    </p>
  );
}
