import type { Key } from '../../frame/key-list.ts';

/** The pages of a run that have a tab. Some have a key. */
export const TABS = [
  { to: '/runs/$runId', name: 'Summary' },
  { to: '/runs/$runId/jobs', name: 'Jobs' },
  { to: '/runs/$runId/log', name: 'Log', key: 'l' },
  { to: '/runs/$runId/tests', name: 'Tests', key: 't' },
  { to: '/runs/$runId/files', name: 'Files' },
  { to: '/runs/$runId/gates', name: 'Gates' },
  { to: '/runs/$runId/events', name: 'Events' },
] as const satisfies readonly { readonly to: string; readonly name: string; readonly key?: Key }[];
