/** Secrets that a step prints in other forms, looked for in everything that leaves the server. */
import { afterAll, beforeAll, expect } from 'vitest';
import { type Inbox, openInbox } from '../support/inbox.ts';
import { allEvents, datasource, ended, logOf, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';
import { attack } from './attack.ts';

const SECRET = 'Pa55w0rd+of/Team é';

let bench: Workbench;
let server: ServerChild;
let monitor: Inbox;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
  await bench.agent(server, { tags: ['linux'] });
  monitor = await openInbox();
  const body = {
    apiVersion: 'opentestfactory.org/v1alpha1',
    kind: 'Subscription',
    metadata: { name: 'monitor' },
    spec: { subscriber: { endpoint: monitor.endpoint } },
  };
  expect((await server.call('POST', '/subscriptions', { body })).code).toBe(201);
});

afterAll(async () => {
  await Promise.all([monitor.close(), bench.close()]);
});

const bytes = (text: string) => Buffer.from(text);
const backwards = (text: string) => [...text].reverse().join('');
const json = (value: unknown) => JSON.stringify(value);
const escaped = (text: string) =>
  text.replace(/[^ -~]/g, (sign) => `\\u00${sign.charCodeAt(0).toString(16)}`);

/** Forms that a reader could turn back into the secret. */
const FORMS: readonly string[] = [
  ...['', ':', 'u:'].map((before) => bytes(before + SECRET).toString('base64')),
  bytes(`?>${SECRET}`).toString('base64url'),
  bytes(SECRET).toString('hex'),
  bytes(SECRET).toString('hex').toUpperCase(),
  encodeURIComponent(SECRET),
  encodeURIComponent(SECRET).replace(/%../g, (sign) => sign.toLowerCase()),
  new URLSearchParams({ p: SECRET }).toString(),
  SECRET.replace(/[^a-z0-9]/gi, (sign) => `&#${sign.charCodeAt(0)};`),
  escaped(json(json(json({ p: SECRET })))),
  [...SECRET].join('\x1b[1m'),
  // `tput sgr0`
  [...SECRET].join('\x1b(B\x1b[m'),
  bytes(SECRET)
    .toString('hex')
    .replace(/..(?=.)/g, '$&-'),
  [...SECRET].join('\0'),
];

/** Pieces of the secret that no form may leave: its first and its last half, in each form. */
const halves = [SECRET.slice(0, 9), SECRET.slice(9)];
const TRACES = [
  ...halves,
  ...halves.map((half) => bytes(half).toString('hex')),
  ...halves.map((half) => encodeURIComponent(half)),
  ...FORMS.slice(0, 4).flatMap((form) => [form.slice(4, 12), form.slice(14, 22)]),
];

const print = `node -e 'for (const form of JSON.parse(process.env.FORMS)) {
  const text = Buffer.from([...form].reverse().join(""), "hex").toString();
  console.log("out " + text + " end"); console.error("err " + text + " end");
}'`;

attack('encoded-secrets', async () => {
  // The step gets the forms backwards: in the workflow they would be masked.
  const forms = FORMS.map((form) => backwards(bytes(form).toString('hex')));
  const id = await start(server, {
    metadata: { name: 'printing' },
    secrets: { PASSWORD: SECRET },
    jobs: {
      main: {
        'runs-on': 'linux',
        steps: [
          sh('printf %s "$PASSWORD" | base64'),
          sh(print, { variables: { FORMS: json(forms) } }),
        ],
      },
    },
  });
  expect(await ended(server, id)).toBe('DONE');
  const log = await logOf(server, id);
  const lines = log.split('\n').filter((line) => /(?:out|err) .* end$/.test(line));
  expect(lines).toHaveLength(2 * FORMS.length);
  expect(lines.filter((line) => !line.includes('***'))).toEqual([]);
  const delivered = monitor.deliveries.map(({ event }) => event);
  for (const shown of [log, json(await allEvents(server, id)), json(delivered)]) {
    expect(TRACES.filter((trace) => shown.includes(trace))).toEqual([]);
  }
});

const TOKEN = `eyJhbGciOiJFUzI1NiJ9.${'Qx7/kZ-Rt5+'.repeat(9)}.end-of-the-token`;

/** Eight bytes of the token, wherever they stand, in each form. */
const TOKEN_TRACES = Array.from({ length: TOKEN.length - 16 }, (_, at) => {
  const part = TOKEN.slice(at, at + 16);
  return [part, bytes(part).toString('hex'), bytes(part).toString('base64').slice(0, 20)];
}).flat();

const WRAPPED = `printf %s "$TOKEN" | base64
printf 'Authorization: Bearer %s' "$TOKEN" | base64 >&2
printf %s "$TOKEN" | od -An -tx1
node -e 'console.log(Buffer.from(process.env.TOKEN).toString("hex").match(/.{1,60}/g).join("\\n"))'
printf %s "$TOKEN" | fold -w 60; echo`;

const REPORT = `cat > report.xml <<END
<testsuite tests="1"><testcase classname="c" name="n"><failure message="m">
$(printf %s "$TOKEN" | base64)
$(printf %s "$TOKEN" | sed 's/./&#x1B[1m/g')
$(printf %s "$TOKEN" | sed 's/./&\x1b[1m/g')
</failure></testcase></testsuite>
END
echo '::attach type=application/vnd.opentestfactory.junit-surefire+xml::report.xml'`;

attack('wrapped-secrets', async () => {
  const id = await start(server, {
    metadata: { name: 'wrapping' },
    secrets: { TOKEN },
    jobs: { main: { 'runs-on': 'linux', steps: [sh(WRAPPED), sh(REPORT)] } },
  });
  expect(await ended(server, id)).toBe('DONE');
  const [testCase] = await datasource(server, id, 'testcases', { count: 1 });
  const log = await logOf(server, id);
  const delivered = monitor.deliveries.map(({ event }) => event);
  for (const shown of [log, json(testCase), json(await allEvents(server, id)), json(delivered)]) {
    expect(shown).toContain('***');
    expect(TOKEN_TRACES.filter((trace) => shown.includes(trace))).toEqual([]);
  }
});
