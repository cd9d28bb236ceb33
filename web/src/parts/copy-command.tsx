/** Copies a command for the terminal. */
import { Check, SquareTerminal } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from './button.tsx';

const SHOWN_MS = 2_000;

export function CopyCommand({ command }: { readonly command: string }) {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = async () => {
    await navigator.clipboard.writeText(command);
    setCopied(true);
  };
  return (
    <Button
      kind="quiet"
      aria-label={isCopied ? 'Copied' : `Copy as command: ${command}`}
      onPress={() => void copy()}
    >
      {isCopied ? <Check aria-hidden size={16} /> : <SquareTerminal aria-hidden size={16} />}
      {isCopied ? 'Copied' : 'Copy as command'}
    </Button>
  );
}
