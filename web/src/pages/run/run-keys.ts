/** Keys of the pages of a run. They act only while nobody types. */
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useMoment } from './moments.tsx';
import { useRun } from './run-context.ts';
import { TABS } from './tabs.ts';

const ADDRESSES: readonly string[] = TABS.map(({ to }) => to);
const TYPING = 'input:not([type=range]), textarea, select, [contenteditable], [role=dialog] *';

/** Acts on the keys. */
export function useRunKeys(): void {
  const run = useRun();
  const navigate = useNavigate();
  const show = useMoment();
  useEffect(() => {
    const { seq, total, marks, runId } = run;
    const showAt = (wanted: number) =>
      show(wanted >= total ? null : Math.max(1, Math.min(wanted, total)));
    const go = (to: (typeof TABS)[number]['to']) =>
      void navigate({ to, params: { runId }, search: run.kept });
    const goBeside = (step: number) => {
      const rest = location.pathname.split(`/runs/${runId}`)[1] ?? '';
      const here = ADDRESSES.indexOf(`/runs/$runId${rest.replace(/\/$/, '')}`);
      const next = TABS[(here + step + TABS.length) % TABS.length];
      if (next !== undefined) go(next.to);
    };
    const failures = marks.filter(({ kind }) => kind === 'failure');
    const actions: Actions = {
      ',': () => showAt(seq - 1),
      '.': () => showAt(seq + 1),
      '<': () => showAt(marks.findLast((mark) => mark.seq < seq)?.seq ?? 1),
      '>': () => showAt(marks.find((mark) => mark.seq > seq)?.seq ?? total),
      f: () => showAt(failures.find((mark) => mark.seq > seq)?.seq ?? failures[0]?.seq ?? seq),
      // biome-ignore lint/correctness/noComponentHookFactories: the name of a key, not of a component
      F: () => showAt(failures.findLast((mark) => mark.seq < seq)?.seq ?? seq),
      '[': () => goBeside(-1),
      ']': () => goBeside(1),
      l: () => go('/runs/$runId/log'),
      t: () => go('/runs/$runId/tests'),
      c: () => void navigate({ to: '/compare', search: { b: runId } }),
      y: () => void navigator.clipboard.writeText(location.href),
    };
    const press = pressOf(actions);
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  });
}

type Actions = Readonly<Record<string, () => void>>;

const pressOf = (actions: Actions) => (event: KeyboardEvent) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  if (event.target instanceof Element && event.target.matches(TYPING)) return;
  const action = actions[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
};
