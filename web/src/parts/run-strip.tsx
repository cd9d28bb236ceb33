/** Runs as a strip of boxes, the oldest first. Failed ones are taller, so that colour is not the only sign. */

import { cleanLine } from '@tutti/run-view/text';
import type { RunSummary } from '../data/runs.ts';
import { type MarkState, markOfRun } from './mark.tsx';
import { PathLink, pathOfRun } from './path-link.tsx';
import styles from './run-strip.module.css';

const WORDS: Readonly<Record<Exclude<MarkState, 'flaked'>, string>> = {
  success: 'passed',
  failure: 'failed',
  error: 'error',
  canceled: 'canceled',
  running: 'running',
  waiting: 'waiting',
  skipped: 'skipped',
};

export const RunStrip = ({ runs }: { readonly runs: readonly RunSummary[] }) => (
  <ol className={styles.strip}>
    {runs.map(({ workflow_id: runId, name, status, canceled }) => {
      const state = markOfRun(status, canceled);
      const text = `${cleanLine(name)}: ${WORDS[state]}`;
      return (
        <li key={runId}>
          <PathLink path={pathOfRun(runId)} title={text} className={styles[state]}>
            <span className="hidden">{text}</span>
          </PathLink>
        </li>
      );
    })}
  </ol>
);
