/** A link for lists with many: those of the router all look at each change of the address. */
import type { ComponentProps, MouseEvent } from 'react';
import { useGo } from './use-go.ts';

interface PathLinkProps extends Omit<ComponentProps<'a'>, 'href' | 'onClick'> {
  /** A path of the page with its search part, without the prefix of the server. */
  readonly path: string;
}

export function PathLink({ path, ...props }: PathLinkProps) {
  const go = useGo();
  const open = (event: MouseEvent) => {
    // The browser opens new tabs and windows.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    go(path);
  };
  return <a {...props} href={`.${path}`} onClick={open} />;
}

/** The path of a test over all runs. */
export const pathOfTest = (testId: string): string => `/tests/${encodeURIComponent(testId)}`;

/** The path of a cause over all runs. */
export const pathOfCause = (causeId: string): string => `/causes/${encodeURIComponent(causeId)}`;

/** The path of a run. */
export const pathOfRun = (runId: string): string => `/runs/${encodeURIComponent(runId)}`;
