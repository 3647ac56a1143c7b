/** Text as it was written: an agent's answer, a prompt, a value. */

interface TextBlockProps {
  readonly label: string;
  readonly text: string;
}

export function TextBlock({ label, text }: TextBlockProps) {
  return (
    <div className="min-w-0">
      <p className="text-xs font-medium text-muted">{label}</p>
      {text !== "" && (
        <pre
          // A long text is scrolled with the keyboard.
          tabIndex={0}
          className="mt-1 max-h-80 overflow-y-auto rounded-md bg-sunken p-3 font-mono text-[0.8rem] leading-relaxed whitespace-pre-wrap"
        >
          {text}
        </pre>
      )}
    </div>
  );
}
