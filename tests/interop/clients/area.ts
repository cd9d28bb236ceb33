/** Features of clients of all versions on our server. */
import type { Feature, Subject } from '../subjects.ts';
import { CLIENTS, FIRST, NIGHTLY, OLD } from './subjects.ts';

const of = (without: readonly Subject[], ...texts: readonly string[]): readonly Feature[] =>
  texts.map((text) => ({ text, without }));

const WORKFLOWS: readonly Feature[] = [
  ...of(
    [],
    'runs a workflow with variables and files, and waits for its end',
    'tells the id of a run as the second word',
    'says why a workflow is refused, and ends with 1',
    'ends with 0 when the workflow that it waited for has failed',
    'shows what a workflow did, as deep as it is asked to',
    'watches a workflow to its end',
    'kills a workflow by its id',
    'ends with an error for a workflow that is not known',
  ),
  ...of(
    [FIRST],
    'takes variables of its environment, if no option has them',
    'shows a workflow of many pages',
    'lists workflows',
    'gives a workflow as JSON',
  ),
  ...of(
    OLD,
    'gives inputs to a workflow',
    'says once what is wrong with inputs, and ends with 1',
    'takes the beginning of an id',
    'checks a workflow without starting it',
    'adds tags to the jobs of a workflow',
    'starts a workflow in the namespace of the option, or of the context',
    'waits, applies a quality gate and copies reports in one command',
    'applies a quality gate once a workflow is over, unless it failed',
    'applies the quality gates of a file at the end of a workflow, and copies reports',
    'shows the notifications, attachments and whole commands of a workflow',
    'shows each line of a step once, with notifications, too',
    'shows what a workflow does while it waits, as its options say',
    'shows colours where they are wanted',
    'shows workflows as the configuration of its user says',
    'shows the attachments of a workflow, and nothing else',
    'shows the events that are selected',
    'gives a workflow as YAML, and in no other form',
    'gives workflows as JSON, YAML and columns',
    'lists the workflows that are selected, and those that have some event',
    'kills the workflows that are selected, and all of them',
    'tells the reason and the source of a kill',
    'checks whether a workflow can be killed',
  ),
];

const REPORTS: readonly Feature[] = [
  ...of([FIRST], 'applies a quality gate, and ends with 0, 101 or 102'),
  ...of(
    OLD,
    'shows the numbers of the rules of a quality gate',
    'applies the quality gates of a file',
    'tells a merge request what a quality gate says',
    'labels a merge request, and replaces what was said of it before',
    'finds the merge request of its pipeline, also at the end of a run',
    'lists the attachments of a workflow',
    'lists the attachments of a workflow of which a result has none',
    'copies an attachment by its id',
    'copies attachments by pattern and type, by job and step',
    'makes reports of definitions of its own',
    'shows the test cases, jobs and tags of a workflow',
    'shows and counts test cases that were skipped',
    'ends with 101 when data are not there in time',
  ),
];

const LISTINGS: readonly Feature[] = [
  {
    text: 'lists agents',
    without: [FIRST],
    note: 'Clients of 2021 expect another form of this listing, which later clients and the operator of Kubernetes cannot read.',
  },
  ...of([], 'de-registers an agent', 'lists subscriptions'),
  ...of([FIRST], 'lists channels'),
  ...of(
    OLD,
    'lists selected agents, and de-registers busy ones by force',
    'lists the channels that are selected',
    'lists namespaces',
    'lists the subscriptions that are selected, and cancels them',
    'cancels all subscriptions, of which those of the server itself stay',
    'completes commands, options and ids',
  ),
  {
    text: 'tells the versions of the components of the server',
    without: [...OLD, NIGHTLY],
    note: 'The nightly one looks for the version of `opentf-tools`, which it is not, and ends before it asks the server.',
  },
];

const CONFIGURATION: readonly Feature[] = [
  ...of(
    [],
    'finds each service at its port',
    'works with an empty token where none is needed',
    'takes a certificate that nobody vouches for, only if it is told to',
    'makes a token that the server takes',
    'takes token, server and context from options and environment',
    'ends with an error when there is no server, or its token is refused',
    'ends with 1 without a command, and for one that is not known',
  ),
  ...of(
    [FIRST],
    'inspects and checks tokens',
    'shows its configuration without the token',
    'writes, changes and uses its configuration',
  ),
  {
    text: 'makes a configuration, from options and answers, and works with it',
    without: [FIRST, NIGHTLY],
    note: 'The nightly one looks for the version of `opentf-tools` there, too.',
  },
  {
    text: 'writes a configuration that tutti import-config carries over',
    without: [FIRST, NIGHTLY],
    note: 'The nightly one writes no configuration, as it looks for the version of `opentf-tools`.',
  },
  ...of(
    OLD,
    'finds each service below its prefix',
    'writes ports, prefixes and delays of services, also over older forms',
    'makes a token with an encrypted key, and writes it to a file',
    'takes options in all their forms, and refuses those that are none',
    'follows links to its own address only, if it is told to',
    'tries again as often as it is told to',
  ),
];

export const CLIENT_AREA = {
  title: 'Clients',
  subjects: CLIENTS,
  features: [...WORKFLOWS, ...REPORTS, ...LISTINGS, ...CONFIGURATION],
};

/** `opentf-ready` and `opentf-done`, which the same packages have. */
export const WAITING_AREA = {
  title: 'Waiting for a server',
  subjects: CLIENTS,
  features: [
    ...of([], 'opentf-ready ends with 0 once the expected services are there'),
    {
      text: 'opentf-ready waits for a container, and for the services that it names',
      note: 'the engine of containers is played by the tests, and there is no image of ours. An image needs `/app/init_services.json`: `services`, a list of names, and `checksum`, the SHA-256 (hexadecimal) of the Base64 of the names one after the other.',
    },
    ...of(
      [],
      'opentf-ready ends with 1 when they are not in time',
      'opentf-done ends with 0 once nothing runs',
      'opentf-done waits for workers on a workflow that is over',
      'opentf-done ends with 1 when something still runs after its time',
      'opentf-done ends with 2 when its token is refused',
      'opentf-ready and opentf-done work with an empty token where none is needed',
    ),
  ],
};
