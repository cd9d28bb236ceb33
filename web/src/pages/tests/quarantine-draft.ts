/** A quarantine as somebody enters it, checked as the server does. Only the server knows how long one may last. */
import { formatTimestamp } from '@tutti/manifests';
import type { WantedQuarantine } from '../../data/quarantine.ts';

export interface Draft {
  readonly reason: string;
  /** Empty: the server decides. */
  readonly days: string;
  readonly link: string;
  /** Empty for the whole test. */
  readonly variant: string;
  /** Also if the test is broken. */
  readonly isForced: boolean;
}

export const EMPTY_DRAFT: Draft = { reason: '', days: '', link: '', variant: '', isForced: false };

const REASON_MAX = 1_000;
const LINK_MAX = 2_000;
const DAY_MS = 86_400_000;
/** Later moments are no dates. */
const DAYS_MAX = 1_000_000;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the server refuses them
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/;

const lengthOf = (text: string): number => [...text].length;

/** Problems of what is entered. An empty field has none. */
export function problemsOf({ reason, days, link }: Draft) {
  return {
    reason:
      lengthOf(reason) > REASON_MAX
        ? `A reason may have ${REASON_MAX} characters.`
        : CONTROL.test(reason)
          ? 'A reason has no tabs and no other control characters.'
          : null,
    days:
      days.trim() === '' || msOf(days) !== null ? null : 'A number above 0 is needed, such as 7.',
    link:
      link === '' ||
      (/^https?:\/\/\S+$/.test(link) && !CONTROL.test(link) && lengthOf(link) <= LINK_MAX)
        ? null
        : `A link begins with https:// or http://, has no spaces, and at most ${LINK_MAX} characters.`,
  };
}

export const isComplete = (draft: Draft): boolean =>
  draft.reason.trim() !== '' && Object.values(problemsOf(draft)).every((each) => each === null);

/** Null without a number of days. */
function msOf(days: string): number | null {
  const count = /^\d+(?:[.,]\d+)?$/.test(days.trim()) ? Number(days.trim().replace(',', '.')) : 0;
  return count > 0 && count <= DAYS_MAX ? count * DAY_MS : null;
}

/** The end of the quarantine; null where the server decides. */
export function endOf({ days }: Draft, nowMs: number): string | null {
  const ms = msOf(days);
  return ms === null ? null : `${formatTimestamp(nowMs + ms)}Z`;
}

export const wantedBy = (draft: Draft, nowMs: number): WantedQuarantine => ({
  reason: draft.reason.trim(),
  until: endOf(draft, nowMs) ?? undefined,
  variant: draft.variant || undefined,
  link: draft.link || undefined,
  force: draft.isForced || undefined,
});
