/**
 * The actions that each right allows. No other place declares rights. A test compares the table in docs/operate/access.md, the routes and
 * the checks in the sources with it.
 */
import type { Resource, Verb } from '../../server/src/auth/access.ts';

type Words = Readonly<Partial<Record<Verb, string>>>;

export const RIGHTS = {
  agents: {
    list: 'See agents, and what an agent does.',
    create:
      'Register an agent, and act as one: it gets the jobs of its namespaces with their secrets, and posts their results.',
    delete:
      'Remove an agent, which cancels the run that it works on. Drain it: give it no further job.',
  },
  channelhandlers: { list: 'See the ids of channel handlers.' },
  channels: { list: 'See channels.' },
  commands: {
    create:
      'Publish events that the orchestrator makes: `Workflow`, `ExecutionCommand`, `GeneratorCommand`, `ProviderCommand`, `WorkflowCompleted`, `WorkflowCanceled`. Plugins carry them out as if the orchestrator had sent them, so only a token of all namespaces may.',
  },
  metrics: { get: 'Read metrics. They are about all namespaces, so only a token of all may.' },
  providers: { list: 'See the functions of providers.' },
  publications: {
    create:
      'Publish events about the runs of its namespaces: notifications, test results, `WorkflowResult`, kinds that only plugins know. Commands, results and cancellations need more.',
  },
  qualitygates: {
    get: 'Evaluate a quality gate of the server.',
    create: 'Evaluate a quality gate that comes with the request.',
  },
  results: {
    create:
      'Carry out commands. A subscription gets the commands that it asks for with their secrets. A publication may be an `ExecutionResult`, `ProviderResult`, `GeneratorResult`, `ExecutionError` or a list of channels.',
  },
  status: {
    list: 'See which runs are not over. Comes with the same right on `workflows`.',
    get: 'Read the events of a run. Comes with the same right on `workflows`.',
  },
  subscriptions: {
    list: 'See subscriptions that reach only its namespaces.',
    create:
      'Get the publications of its namespaces, in an inbox or as a stream. Secrets and masked texts are left out.',
    delete: 'Cancel subscriptions that reach only its namespaces.',
  },
  tests: {
    list: 'See tests with their states.',
    get: 'Read the history of a test, and the evidence for its state.',
    create: 'Put tests in quarantine.',
    delete: 'Release tests from quarantine.',
  },
  workflows: {
    list: 'See runs.',
    get: 'Read logs, files, workers and data sources of a run, and make reports on it.',
    create:
      'Start a run. It may cancel runs of its namespace that hold its concurrency group. With `get`: run an earlier one again.',
    delete:
      'Cancel a run, by request or by a publication of a `WorkflowCancellation`. Forget a run that is over.',
  },
} as const satisfies Record<Resource, Words>;
