/** A secret that is planted wherever a run can have one, and looked for in everything that leaves the server. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Api, detailsOf, itemsOf, type Loose } from '../support/api.ts';
import { registerExisting } from '../support/existing-agent.ts';
import { createGate } from '../support/gate.ts';
import { type Inbox, openInbox } from '../support/inbox.ts';
import {
  allEvents,
  ended,
  logged,
  logOf,
  logTexts,
  type Manifest,
  only,
  sh,
  start,
  startedId,
  workersEnded,
} from '../support/runs.ts';
import { JUNIT_TYPE } from '../support/sample-run.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

/** With all that a shell, JSON or a pattern could stumble over. */
const DECLARED = `d3cl@red "p'w"$HOME\\d(a+)`;
const GIVEN = 'g1ven-value';
/** Masked by a step, which makes it on the environment. */
const MADE = 'm4de-value';
/** A plain variable of the workflow whose value a step masks. */
const LATE = 'l4te-value';
/** Names of files cannot have it as it is. */
const PATHLIKE = 'p4th/l1ke+value=';
const ALL = [DECLARED, GIVEN, MADE, LATE, PATHLIKE, 'p4th_l1ke+value=', 'l1ke+value='];

let bench: Workbench;
let server: ServerChild;
let monitor: Inbox;
let channels: Inbox;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server({ config: { logLevel: 'trace' } });
  await bench.agent(server, { tags: ['linux', 'shell'], name: 'shell' });
  monitor = await openInbox();
  channels = await openInbox();
  await subscribe(monitor, {});
  await subscribe(channels, { selector: { matchKind: 'ExecutionCommand' } });
});

afterAll(async () => {
  await Promise.all([monitor.close(), channels.close(), bench.close()]);
});

async function subscribe(inbox: Inbox, spec: Manifest): Promise<void> {
  const body = {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'Subscription',
    metadata: { name: 'listener' },
    spec: { ...spec, subscriber: { endpoint: inbox.endpoint } },
  };
  expect((await server.call('POST', '/subscriptions', { body })).code).toBe(201);
}

const secret = (name: string) => `\${{ secrets.${name} }}`;

const report = `cat > report-$MADE.xml <<END
<testsuite name="suite $MADE"><testcase classname="c $GIVEN" name="n $MADE" time="1">
<failure message="got $GIVEN" type="$MADE">text $MADE</failure></testcase></testsuite>
END
echo "::attach type=${JUNIT_TYPE},name=n-$MADE.xml::$PWD/report-$MADE.xml"
echo "::upload type=text/$GIVEN::$PWD/report-$MADE.xml"
mkdir -p "$(dirname "$PATHLIKE")"; echo file > "$PATHLIKE"
echo "::attach name=p-$PATHLIKE.txt::$PWD/$PATHLIKE"; echo "::attach::$PWD/$PATHLIKE"
echo "::upload name=u-$PATHLIKE.txt::$PWD/$PATHLIKE"`;

const MANIFEST = {
  metadata: { name: 'secrets', annotations: { note: `a ${DECLARED}` } },
  secrets: { DECLARED, GIVEN: '', PATHLIKE },
  variables: { LATE, URL: `https://u:${secret('DECLARED')}@example.org` },
  jobs: {
    one: {
      'runs-on': ['linux', 'shell'],
      variables: { OF_JOB: `x${secret('GIVEN')}x` },
      outputs: { late: `\${{ steps.mask.outputs.late }}`, made: `\${{ steps.mask.outputs.made }}` },
      steps: [
        sh(
          `set -x; MADE=$(printf 'm4de-%s' value); echo "::add-mask::$MADE"; echo "::add-mask::$LATE"
echo "::set-output name=made::$MADE"; echo "::set-output name=late::$LATE"
echo "export MADE=$MADE" >> "$OPENTF_VARIABLES"`,
          { id: 'mask' },
        ),
        sh('echo "$DECLARED, $GIVEN and $MADE"; echo "$LATE" >&2; echo "::error::e $GIVEN"'),
        sh(`printf '%s' "$DECLARED" | wc -c; test "${'$'}{#GIVEN}" = ${GIVEN.length}`),
        {
          uses: 'actions/create-file@v1',
          with: { data: `in a file: ${secret('GIVEN')}`, format: 'txt', path: 'created.txt' },
        },
        sh('cat created.txt | tr a-z A-Z'),
        sh(report),
        sh(`echo "::attach::/nowhere/$MADE"; echo "::put file=$GIVEN::x"`, {
          'continue-on-error': true,
        }),
        sh('head -c 65500 /dev/zero | tr "\\0" x; echo "$MADE and more"'),
      ],
    },
    two: {
      'runs-on': ['linux', 'shell'],
      needs: 'one',
      steps: [
        sh('test "$V" = "m4de-""value" && echo "two has $V"', {
          variables: { V: `\${{ needs.one.outputs.made }}` },
        }),
        { uses: 'nobody/has@v1', with: { x: `\${{ needs.one.outputs.late }}` } },
      ],
    },
  },
};

/** Every answer that tells something of a run, as texts by where they come from. */
async function surface(api: Api, id: string): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  const paths = [
    ...['status', 'logs', 'workers', 'qualitygate'].map((name) => `/workflows/${id}/${name}`),
    ...['testcases', 'jobs', 'tags'].map((kind) => `/workflows/${id}/datasources/${kind}`),
    ...['/workflows', '/workflows?expand=manifest', '/workflows/status', '/channels', '/agents'],
    ...['/subscriptions', '/namespaces', '/channelhandlers'],
  ];
  for (const path of paths) {
    const [pathname = '', query = 'per_page=1000'] = path.split('?');
    const answer = await api.call('GET', pathname, { query });
    texts.set(path, `${JSON.stringify([...answer.headers])}${answer.text}`);
  }
  const stream = { headers: { accept: 'text/event-stream' } };
  texts.set('events', (await api.call('GET', `/workflows/${id}/status`, stream)).text);
  const selected = { query: `fieldSelector=${encodeURIComponent(`variables.LATE==${LATE}`)}` };
  const found = await api.call('GET', `/workflows/${id}/status`, selected);
  texts.set('selector', JSON.stringify(detailsOf(found).items));
  return texts;
}

/** As it stands there, and as JSON writes it. */
function found(texts: ReadonlyMap<string, string>): readonly string[] {
  const forms = ALL.flatMap((each) => [each, JSON.stringify(each).slice(1, -1)]);
  return [...texts].flatMap(([where, text]) =>
    forms
      .filter((form) => text.includes(form))
      .map((form) => {
        const at = text.indexOf(form);
        return `${form} in ${where}: ${text.slice(Math.max(0, at - 200), at + 60)}`;
      }),
  );
}

const received = (inbox: Inbox): string =>
  JSON.stringify(inbox.deliveries.map(({ event }) => event));

describe('a secret', () => {
  let id: string;

  beforeAll(async () => {
    const form = new FormData();
    form.set('workflow', new Blob([JSON.stringify(MANIFEST)]));
    form.set('variables', `GIVEN=${GIVEN}`);
    id = startedId(await server.call('POST', '/workflows', { body: form }));
    await ended(server, id);
    await workersEnded(server, id);
  });

  test('is what steps work with', async () => {
    const texts = await logTexts(server, id);
    expect(texts).toEqual(
      expect.arrayContaining([
        '***, *** and ***',
        '***',
        'ERROR,e ***',
        String(DECLARED.length),
        `IN A FILE: ${GIVEN.toUpperCase()}`,
        'two has ***',
      ]),
    );
  });

  test('leaves the server nowhere', async () => {
    const insights = {
      insights: [
        {
          name: 'log',
          kind: 'ExecutionLog',
          spec: { 'job-depth': 0, 'step-depth': 0, 'max-command-length': 0 },
        },
      ],
    };
    const asked = await server.call('POST', `/workflows/${id}/insights`, {
      query: 'insight=*',
      body: insights,
    });
    expect(asked.code).toBe(200);
    await workersEnded(server, id);
    const texts = new Map(await surface(server, id));
    const results = only(await allEvents(server, id), 'WorkflowResult');
    const files = results.flatMap(({ metadata }) => Object.values(metadata.attachments));
    for (const { uuid, name } of files) {
      const path = `/workflows/${id}/files/${uuid}`;
      const { headers, text } = await server.call('GET', path);
      texts.set(`headers of ${path}`, JSON.stringify([...headers]));
      if (name === 'log' || text.startsWith('Workflow ')) texts.set(path, text);
    }
    // Events that went out before a step masked the text cannot be taken back.
    texts.set('monitor', received(monitor).replaceAll(`"LATE":"${LATE}"`, ''));
    texts.set('log of the server', server.child.stderr);
    expect(found(texts)).toEqual([]);
    const paths = JSON.stringify(await allEvents(server, id));
    expect(paths).toMatch(/_\d+_p-\*\*\*\.txt"/);
    expect(paths).toMatch(/_\d+_\*\*\*"/);
    expect(paths).toMatch(/_WR_u-\*\*\*\.txt"/);
    expect(texts.get('selector')).toBe('[]');
    expect(texts.get(`/workflows/${id}/datasources/testcases`)).toContain('c ***#n ***');
  });

  test('is known to those who carry out commands', () => {
    const commands = channels.deliveries.map(({ event }) => event);
    expect(received(channels)).toContain(JSON.stringify(DECLARED).slice(1, -1));
    expect(commands.every(({ kind }) => kind === 'ExecutionCommand')).toBe(true);
    expect(monitor.deliveries.length).toBeGreaterThan(commands.length);
  });

  test('stays one after a restart', async () => {
    const { dataDir } = server;
    await server.child.kill('SIGKILL');
    server = await bench.server({ dataDir, config: { logLevel: 'trace' } });
    expect(found(await surface(server, id))).toEqual([]);
  });
});

test('masks of existing agents hold likewise', async () => {
  const agent = await registerExisting(server, ['linux', 'existing'], {
    metadata: { version: '2.0' },
  });
  const manifest = {
    metadata: { name: 'existing' },
    variables: { LATE },
    jobs: { one: { 'runs-on': 'existing', steps: [sh('one'), sh('two')] } },
  };
  const id = await start(server, manifest);
  const run = async (stdout: readonly string[], stderr: readonly string[] = []): Promise<Loose> => {
    const order = await agent.work();
    await agent.post({ stdout, stderr, exit_status: 0, variables: [`export A=${MADE}`] });
    return order;
  };
  await run([`::add-mask::${MADE}`, `::add-mask::${LATE}`], [`+ echo ::add-mask::${MADE}`]);
  expect((await run([`${MADE}!`])).content).toContain(LATE);
  await run([]);
  expect(await ended(server, id)).toBe('DONE');
  expect(found(await surface(server, id))).toEqual([]);
  expect(await logOf(server, id)).toContain('] ***!\n');
});

test('what is masked later is not chosen any more by who chose by it before', async () => {
  await bench.agent(server, { tags: ['linux', 'later'], name: 'later' });
  const gate = createGate(bench, 'held');
  const manifest = {
    metadata: { name: 'later' },
    variables: { LATE },
    jobs: { one: { 'runs-on': 'later', steps: [gate.step, sh('echo "::add-mask::$LATE"')] } },
  };
  const id = await start(server, manifest);
  await logged(server, id, 'held');
  const query = `fieldSelector=${encodeURIComponent(`variables.LATE==${LATE}`)}`;
  const chosen = async () =>
    itemsOf(await server.call('GET', `/workflows/${id}/status`, { query })).length;
  const before = [await chosen(), await chosen()];
  await gate.open();
  expect(await ended(server, id)).toBe('DONE');
  // The manifest and the command of the step.
  expect([...before, await chosen()]).toEqual([2, 2, 0]);
});
