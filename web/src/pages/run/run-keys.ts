/** Keys of the pages of a run. They act only while nobody types. */
import { useNavigate } from '@tanstack/react-router';
import { useKeys } from '../../frame/keys.ts';
import { useMoment } from './moments.tsx';
import { useRun } from './run-context.ts';
import { TABS } from './tabs.ts';

const ADDRESSES: readonly string[] = TABS.map(({ to }) => to);

/** Acts on the keys that no control of the page has. */
export function useRunKeys(): void {
  const { seq, total, marks, runId, kept } = useRun();
  const navigate = useNavigate();
  const show = useMoment();
  const showAt = (wanted: number) =>
    show(wanted >= total ? null : Math.max(1, Math.min(wanted, total)));
  const goBeside = (step: number) => {
    const rest = location.pathname.split(`/runs/${runId}`)[1] ?? '';
    const here = ADDRESSES.indexOf(`/runs/$runId${rest.replace(/\/$/, '')}`);
    const next = TABS[(here + step + TABS.length) % TABS.length];
    if (next !== undefined) void navigate({ to: next.to, params: { runId }, search: kept });
  };
  const failures = marks.filter(({ kind }) => kind === 'failure');
  useKeys({
    ',': () => showAt(seq - 1),
    '.': () => showAt(seq + 1),
    '<': () => showAt(marks.findLast((mark) => mark.seq < seq)?.seq ?? 1),
    '>': () => showAt(marks.find((mark) => mark.seq > seq)?.seq ?? total),
    f: () => showAt(failures.find((mark) => mark.seq > seq)?.seq ?? failures[0]?.seq ?? seq),
    // biome-ignore lint/correctness/noComponentHookFactories: the name of a key, not of a component
    F: () => showAt(failures.findLast((mark) => mark.seq < seq)?.seq ?? seq),
    '[': () => goBeside(-1),
    ']': () => goBeside(1),
  });
}
