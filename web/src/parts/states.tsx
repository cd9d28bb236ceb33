/** The states of a part: loading, empty, and broken. */

import { CatchBoundary, Link } from '@tanstack/react-router';
import { isOrchestratorError, statusOfError } from '@tutti/manifests';
import { CircleX } from 'lucide-react';
import type { ReactNode } from 'react';
import { isForbidden } from '../data/queries.ts';
import { Button } from './button.tsx';
import styles from './states.module.css';

interface PlaceholderProps {
  readonly lines?: number;
}

/** Grey bars of about the final size. They appear after 150 ms. */
export function Placeholder({ lines = 3 }: PlaceholderProps) {
  return (
    <div className={styles.placeholder} aria-hidden>
      {Array.from({ length: lines }, (_, line) => (
        // The bars never change their order.
        // biome-ignore lint/suspicious/noArrayIndexKey: the bars have no other name
        <div key={line} />
      ))}
    </div>
  );
}

/** Why there is nothing, and what to do next. */
export const Empty = ({ children }: { readonly children: ReactNode }) => (
  <p className={styles.empty}>{children}</p>
);

interface ProblemProps {
  readonly error: unknown;
  readonly onAgain?: (() => void) | undefined;
}

/** An error with its reason, what it says, and another try. For a missing right, another try would change nothing. */
export function Problem({ error, onAgain }: ProblemProps) {
  const { title, text, more } = wordsOf(error);
  return (
    <div className={styles.problem} role="alert">
      <CircleX aria-hidden size={18} />
      <div>
        <strong>{title}</strong>
        <p>{text}</p>
        {more !== null && <p>{more}</p>}
        {isForbidden(error) ? (
          <Link to="/settings">See what your token allows</Link>
        ) : (
          onAgain !== undefined && <Button onPress={onAgain}>Try again</Button>
        )}
      </div>
    </div>
  );
}

/** Words for an error. Details of a Status manifest say more. */
export function wordsOf(error: unknown) {
  if (isOrchestratorError(error)) {
    const { code, reason, message, details } = statusOfError(error);
    const more = details !== null && 'error' in details ? details.error : null;
    return {
      title: `${reason} (${code})`,
      text: message,
      more: typeof more === 'string' ? more : null,
    };
  }
  const text = error instanceof Error ? error.message : String(error);
  return { title: 'No answer', text, more: 'What to do: see whether the server runs.' };
}

/** Keeps errors of one part from the rest of the page. */
export const Guarded = ({ children }: { readonly children: ReactNode }) => (
  <CatchBoundary
    getResetKey={() => 'part'}
    errorComponent={({ error, reset }) => <Problem error={error} onAgain={reset} />}
  >
    {children}
  </CatchBoundary>
);
