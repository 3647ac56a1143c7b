/** Catches an error of a page, so that the rest stays usable. */

import { Component, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { ProblemNote } from "./problem-note.tsx";

interface ErrorBoundaryProps {
  /** Another address is another chance. */
  readonly address: string;
  readonly children: ReactNode;
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly error: Error | null }> {
  override state = { error: null as Error | null };

  static getDerivedStateFromError(error: Error) {
    return { error };
  }

  override componentDidUpdate({ address }: ErrorBoundaryProps) {
    if (address !== this.props.address && this.state.error) this.setState({ error: null });
  }

  override render() {
    const { error } = this.state;
    if (error === null) return this.props.children;
    return (
      <div className="space-y-3 py-4">
        <ProblemNote
          error={{
            message: `This page could not be shown: ${error.message}`,
            hint: "Reload it. If it happens again, report it with this message.",
          }}
        />
        <Button onClick={() => window.location.reload()}>Reload</Button>
      </div>
    );
  }
}
