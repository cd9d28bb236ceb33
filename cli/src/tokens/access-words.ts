/** What tokens may be made for (specification 4.5), as servers of all kinds know it. */
export const RESOURCES = [
  'agents',
  'channelhandlers',
  'channels',
  'qualitygates',
  'status',
  'subscriptions',
  'workflows',
] as const;

export const VERBS = ['list', 'get', 'create', 'delete'] as const;

/** Rights that only servers of ours tell of. */
export const OWN_RIGHTS = [
  { resource: 'commands', verb: 'create' },
  { resource: 'metrics', verb: 'get' },
  { resource: 'providers', verb: 'list' },
  { resource: 'publications', verb: 'create' },
  { resource: 'results', verb: 'create' },
] as const;
