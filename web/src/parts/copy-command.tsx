/** Copies a command for the terminal. */
import { Check, SquareTerminal } from 'lucide-react';
import { Button } from './button.tsx';
import { useCopied } from './use-copied.ts';

export function CopyCommand({ command }: { readonly command: string }) {
  const [isCopied, copy] = useCopied();
  return (
    <Button
      kind="quiet"
      aria-label={isCopied ? 'Copied' : `Copy as command: ${command}`}
      onPress={() => copy(command)}
    >
      {isCopied ? <Check aria-hidden size={16} /> : <SquareTerminal aria-hidden size={16} />}
      {isCopied ? 'Copied' : 'Copy as command'}
    </Button>
  );
}
