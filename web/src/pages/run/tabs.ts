/** The pages of a run that have a tab. */
export const TABS = [
  { to: '/runs/$runId', name: 'Summary' },
  { to: '/runs/$runId/jobs', name: 'Jobs' },
  { to: '/runs/$runId/log', name: 'Log' },
  { to: '/runs/$runId/tests', name: 'Tests' },
  { to: '/runs/$runId/files', name: 'Files' },
  { to: '/runs/$runId/gates', name: 'Gates' },
  { to: '/runs/$runId/events', name: 'Events' },
] as const;
