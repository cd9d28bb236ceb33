// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Runs that make events of every kind, with all that events of these kinds can have. */
import { type Api, itemsOf, type Loose } from '../../support/api.ts';
import { eventually } from '../../support/eventually.ts';
import { GitRepositories } from '../../support/git-repositories.ts';
import { type Inbox, openInbox } from '../../support/inbox.ts';
import {
  ended,
  logged,
  type Manifest,
  oneJob,
  sh,
  start,
  startedId,
  workersEnded,
} from '../../support/runs.ts';
import type { ServerChild, Workbench } from '../../support/workbench.ts';
import { CALLED, EVERYTHING, GENERATED, PLUGIN, PROVIDED } from './rich-workflow.ts';

const GROUP = 'opentestfactory.org';
const INSIGHTS = `insights:
- name: executionlog
  kind: ExecutionLog
- name: never
  kind: ExecutionLog
  if: workflow.name == 'none'
`;

/** Starts them all on a server with an agent of the tags `linux` and `shell`, and waits for their ends. */
export async function richRuns(bench: Workbench, server: ServerChild): Promise<readonly string[]> {
  const plugin = await openPlugin(server);
  const git = await GitRepositories.open(bench.path('repositories'));
  try {
    const everything = await startEverything(server);
    const ids = [
      everything,
      ...(await stoppedRuns(server)),
      await start(server, calling(git)),
      ...(await publishedAbout(server)),
    ];
    for (const id of ids) await ended(server, id);
    for (const id of ids) await workersEnded(server, id);
    const again = startedId(
      await server.call('POST', `/workflows/${everything}/rerun`, { query: 'failed' }),
    );
    await ended(server, again);
    await requestInsights(server, everything);
    return [...ids, again];
  } finally {
    await git.close();
    await plugin.close();
  }
}

async function startEverything(api: Api): Promise<string> {
  const form = new FormData();
  form.set('workflow', JSON.stringify(EVERYTHING));
  form.set('data', new Blob(['a,b\n']), 'data');
  form.set('called.yaml', new Blob([CALLED]), 'called.yaml');
  form.set('inputs', 'browser=firefox');
  form.set('variables', 'GIVEN=by request');
  return startedId(await api.call('POST', '/workflows', { body: form }));
}

/** Cancelled, superseded, too late, and with errors. */
async function stoppedRuns(api: Api): Promise<readonly string[]> {
  const canceled = await start(
    api,
    oneJob('canceled', [sh('true')], { 'runs-on': ['linux', 'nowhere'] }),
  );
  await logged(api, canceled, 'nowhere');
  await api.call('DELETE', `/workflows/${canceled}`, { query: 'reason=enough&source=a%20test' });
  const held = { concurrency: { group: 'one', 'cancel-in-progress': true } };
  const superseded = await start(api, {
    ...oneJob('superseded', [sh('true')], { 'runs-on': 'nowhere' }),
    ...held,
  });
  await logged(api, superseded, 'nowhere');
  return [
    canceled,
    superseded,
    await start(api, { ...oneJob('next', [sh('true')]), ...held }),
    await start(api, { ...oneJob('late', [sh('sleep 60')]), 'timeout-minutes': 0.02 }),
    await start(api, oneJob('late step', [sh('sleep 60', { 'timeout-minutes': 0.02 })])),
    await start(
      api,
      oneJob('late job', [sh('true')], { 'runs-on': 'nowhere', 'timeout-minutes': 0.01 }),
    ),
    await start(api, oneJob('unknown', [{ uses: 'nobody/has-it@v1' }])),
    await start(api, {
      metadata: { name: 'no jobs' },
      jobs: { none: { generator: `${PLUGIN}/none@v1` } },
    }),
    await start(api, {
      metadata: { name: 'anywhere' },
      variables: {},
      jobs: { main: { steps: [sh('true')] } },
    }),
  ];
}

/** Its called workflow is in a repository, from which a job of the run's own fetches it. */
function calling(git: GitRepositories): Manifest {
  git.commit('shop', { 'called.yaml': CALLED });
  const resource = { repository: 'shop', name: 'shop', type: 'git', endpoint: git.url };
  return {
    metadata: { name: 'calling' },
    resources: { repositories: [resource] },
    jobs: {
      called: {
        'runs-on': 'linux',
        uses: '${{ resources.repositories.shop }}/called.yaml@main',
        with: { word: 'far' },
      },
    },
  };
}

/** Events that plugins publish about other clients' runs. */
async function publishedAbout(api: Api): Promise<readonly string[]> {
  const id = await start(api, oneJob('told of', [sh('true')], { 'runs-on': 'nowhere' }));
  const publish = (kind: string, more: Loose, metadata: Loose = {}) =>
    api.call('POST', '/publications', {
      body: {
        apiVersion: `${GROUP}/v1alpha1`,
        kind,
        metadata: { name: 'told', workflow_id: id, ...metadata },
        ...more,
      },
    });
  await publish('Notification', { spec: { logs: ['a line'], 'example.org.own': ['x'] } });
  await publish('Notification', { spec: { worker: { worker_id: 'w', status: 'setup' } } });
  await publish('Notification', { spec: { worker: { worker_id: 'w', status: 'teardown' } } });
  await publish('WorkflowResult', {});
  await publish('ExecutionError', { details: { error: 'It broke.' } });
  return [id];
}

async function requestInsights(api: Api, id: string): Promise<void> {
  for (const pattern of ['executionlog', 'never']) {
    const body = new FormData();
    body.append('insights', new Blob([INSIGHTS]), 'insights.yaml');
    await api.call('POST', `/workflows/${id}/insights`, { query: `insight=${pattern}`, body });
  }
  await eventually('both answers', async () => {
    const answer = await api.call('GET', `/workflows/${id}/status`, {
      query: 'fieldSelector=kind==WorkflowResult,metadata.request_id',
    });
    return itemsOf(answer).length >= 2;
  });
}

/** A provider and a generator. Their answers have all possible entries, in an older version. */
async function openPlugin(api: Api): Promise<Inbox> {
  const inbox = await openInbox((command) => {
    const { kind, metadata } = command;
    const { labels } = metadata as { labels: Loose };
    if (labels[`${GROUP}/category`] === 'none') {
      const details = { error: 'There are none.' };
      void publish({ kind: 'ExecutionError', metadata, details });
      return;
    }
    const body =
      kind === 'GeneratorCommand'
        ? { kind: 'GeneratorResult', metadata, ...GENERATED }
        : { kind: 'ProviderResult', metadata, ...PROVIDED };
    void publish(body);
  });
  const publish = (body: Loose) =>
    api.call('POST', '/publications', { body: { apiVersion: `${GROUP}/v1beta1`, ...body } });
  for (const matchKind of ['GeneratorCommand', 'ProviderCommand']) {
    const matchLabels = { [`${GROUP}/categoryPrefix`]: PLUGIN };
    const spec = { selector: { matchKind, matchLabels }, subscriber: { endpoint: inbox.endpoint } };
    await api.call('POST', '/subscriptions', {
      body: {
        apiVersion: `${GROUP}/v1alpha1`,
        kind: 'Subscription',
        metadata: { name: PLUGIN },
        spec,
      },
    });
  }
  return inbox;
}
