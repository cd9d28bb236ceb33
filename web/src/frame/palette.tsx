/** Search over runs, tests, environments, pages and actions: Ctrl K. Part of an id is enough. */

import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { cleanLine } from '@tutti/run-view/text';
import { type KeyboardEvent, useId, useState } from 'react';
import { Dialog } from 'react-aria-components/Dialog';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { agentsQuery } from '../data/environments.ts';
import { runsQuery } from '../data/runs.ts';
import { allows, useSession } from '../data/session.ts';
import { testsQuery } from '../data/tests.ts';
import confirm from '../parts/confirm.module.css';
import { pathOfTest } from '../parts/path-link.tsx';
import { useGo } from '../parts/use-go.ts';
import styles from './palette.module.css';

interface Target {
  readonly key: string;
  readonly kind: string;
  readonly text: string;
  readonly more?: string;
  /** The path of a page, with its search part. */
  readonly to: string;
}

const PAGES: readonly Target[] = (
  [
    ['Now', '/'],
    ['Runs', '/runs'],
    ['Failed runs', '/runs?status=FAILED'],
    ['Tests', '/tests'],
    ['Flaky and broken tests', '/tests?state=broken,flaky'],
    ['Causes of failures', '/causes'],
    ['Tests in quarantine', '/quarantine'],
    ['Queue', '/queue'],
    ['Environments', '/environments'],
    ['Workflows', '/workflows'],
    ['Settings', '/settings'],
    ['About', '/about'],
  ] as const
).map(([text, to]) => ({ key: to, kind: 'Page', text, to }));

const START: Target = { key: 'start', kind: 'Action', text: 'Start a run', to: '/start' };
const RUNS_SHOWN = 8;
const TESTS_SHOWN = 5;
const AGENTS_SHOWN = 5;

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const [text, setText] = useState('');
  const [active, setActive] = useState(0);
  const go = useGo();
  const targets = useTargets(text.trim());
  const list = useId();
  const shown = Math.min(active, Math.max(0, targets.length - 1));
  const open = ({ to }: Target) => {
    onClose();
    go(to);
  };
  const keys = (event: KeyboardEvent) => {
    const target = targets[shown];
    if (event.key === 'Enter' && target !== undefined) open(target);
    else if (event.key === 'ArrowDown') setActive(Math.min(targets.length - 1, shown + 1));
    else if (event.key === 'ArrowUp') setActive(Math.max(0, shown - 1));
    else return;
    event.preventDefault();
  };
  return (
    <ModalOverlay
      className={`${confirm.overlay} ${styles.overlay}`}
      isDismissable
      isOpen
      onOpenChange={onClose}
    >
      <Modal className={`${confirm.modal} ${styles.modal}`}>
        <Dialog className={styles.dialog ?? ''} aria-label="Search">
          <input
            autoFocus
            role="combobox"
            aria-expanded
            aria-controls={list}
            aria-activedescendant={targets.length === 0 ? undefined : `${list}-${shown}`}
            aria-label="Search runs, tests, environments, pages and actions"
            placeholder="Runs, tests, environments, pages, actions"
            value={text}
            onChange={(event) => {
              setText(event.target.value);
              setActive(0);
            }}
            onKeyDown={keys}
            className={styles.input}
          />
          <div id={list} role="listbox" aria-label="Found" className={styles.list}>
            {targets.map((target, index) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys
              <div
                key={target.key}
                id={`${list}-${index}`}
                role="option"
                aria-selected={index === shown}
                tabIndex={-1}
                className={styles.option}
                onClick={() => open(target)}
              >
                <span>{target.text}</span>
                <span className={styles.more}>{target.more ?? ''}</span>
                <span className={styles.kind}>{target.kind}</span>
              </div>
            ))}
          </div>
          {targets.length === 0 && <p className={styles.none}>Nothing found.</p>}
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

function useTargets(text: string): readonly Target[] {
  const session = useSession();
  const { data: runs } = useQuery({
    ...runsQuery({ q: text }, 0, RUNS_SHOWN),
    enabled: text !== '',
    placeholderData: keepPreviousData,
  });
  const { data: tests } = useQuery({
    ...testsQuery({ q: text }, 0, TESTS_SHOWN),
    enabled: text !== '' && allows(session, ['list', 'tests']),
  });
  const { data: agents = [] } = useQuery({ ...agentsQuery, enabled: text !== '' });
  const has = (value: string) => value.toLowerCase().includes(text.toLowerCase());
  const actions = allows(session, ['create', 'workflows']) ? [START] : [];
  const pages = [...actions, ...PAGES].filter((page) => has(page.text));
  if (text === '') return pages;
  const foundAgents = agents
    .filter(({ metadata }) => has(metadata.name) || has(metadata.agent_id))
    .slice(0, AGENTS_SHOWN)
    .map(({ metadata, spec }) => ({
      key: metadata.agent_id,
      kind: 'Environment',
      text: cleanLine(metadata.name),
      more: cleanLine(spec.tags.join(', ')),
      to: `/environments/${encodeURIComponent(metadata.agent_id)}`,
    }));
  const foundRuns = (runs?.items ?? []).map((run) => ({
    key: run.workflow_id,
    kind: 'Run',
    text: cleanLine(run.name),
    more: run.workflow_id,
    to: `/runs/${encodeURIComponent(run.workflow_id)}`,
  }));
  const foundTests = (tests?.items ?? []).map(({ metadata, spec }) => ({
    key: metadata.id,
    kind: 'Test',
    text: cleanLine(spec.testCaseName),
    more: cleanLine(spec.suiteName),
    to: pathOfTest(metadata.id),
  }));
  return [...pages, ...foundRuns, ...foundTests, ...foundAgents];
}
