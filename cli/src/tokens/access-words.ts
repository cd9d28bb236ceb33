/** Resources that tokens can grant (specification 4.5), as all servers know them. */
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

/** Rights that only our servers report. */
export const OWN_RIGHTS = [
  { resource: 'commands', verb: 'create' },
  { resource: 'metrics', verb: 'get' },
  { resource: 'providers', verb: 'list' },
  { resource: 'publications', verb: 'create' },
  { resource: 'results', verb: 'create' },
  { resource: 'tests', verb: 'list' },
  { resource: 'tests', verb: 'get' },
  { resource: 'tests', verb: 'create' },
  { resource: 'tests', verb: 'delete' },
] as const;
