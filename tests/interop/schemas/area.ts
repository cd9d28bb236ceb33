/** The events of our server, checked by the schemas that toolkits publish. */
import type { Subject } from '../subjects.ts';

const NEWEST: Subject = { program: 'opentf-toolkit', version: '0.64.0' };

export const SCHEMAS = {
  title: 'Published schemas',
  about: `The schemas are those of the package. The runs have events of all kinds: generators, providers, hooks, matrices, called workflows,
uploads, downloads, attachments, test results, errors, cancellations, time limits and insights. This server sends three things that the schemas refuse,
as existing servers do: [Existing plugins](../guides/plugins.md#versions-of-events).`,
  subjects: [NEWEST],
  features: [
    { text: 'accepts every event of a run, as its listing and its stream have it' },
    { text: 'accepts every event that inboxes get, in each version that it has a schema for' },
    { text: 'accepts every publication that passes' },
    {
      text: 'accepts random workflows, and random answers of generators and providers, in each version',
    },
    { text: 'accepts every event of runs that earlier versions of the server stored' },
  ],
};
