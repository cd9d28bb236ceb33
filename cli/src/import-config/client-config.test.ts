import { readFileSync, statSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { ImportBench, serviceFile } from './testing.ts';

const bench = new ImportBench();
afterAll(() => bench.close());

const client = (orchestrator: object, user: object = { token: 't0ken' }, context: object = {}) => ({
  kind: 'CtlConfig',
  'current-context': 'here',
  contexts: [{ name: 'here', context: { orchestrator: 'o', user: 'u', ...context } }],
  orchestrators: [{ name: 'o', orchestrator }],
  users: [{ name: 'u', user }],
});

const SERVER = 'http://tests.example.com';

test.each<[string, object, string]>([
  ['its server', { server: `${SERVER}/` }, SERVER],
  ['its server with a path', { server: `${SERVER}:8080/tests/` }, `${SERVER}:8080/tests`],
  [
    'the port of the receptionist',
    { server: `${SERVER}:1`, services: { receptionist: { port: 7774 } } },
    `${SERVER}:7774`,
  ],
  ['that port of old files', { server: SERVER, ports: { receptionist: 7774 } }, `${SERVER}:7774`],
  ['its prefix', { server: SERVER, services: { receptionist: { prefix: '/r/' } } }, `${SERVER}/r`],
])('commands find the server by %s', async (_what, orchestrator, address) => {
  bench.write({ config: client(orchestrator) });
  await bench.run('@config', '--save-to', '@out', '--force');
  const file = bench.path('out/clients/here.env');
  expect(readFileSync(file, 'utf8')).toBe(`TUTTI_SERVER='${address}'\nTUTTI_TOKEN='t0ken'\n`);
  expect(statSync(file).mode & 0o777).toBe(0o600);
});

test('ports and prefixes of the current context become those of the server', async () => {
  const services = {
    receptionist: { port: 7774 },
    observer: { port: 17775, prefix: 'observer' },
    killswitch: { prefix: '/a b' },
    obsever: { port: 5 },
    eventbus: { port: 99_999, 'force-base-url': true, prot: 1 },
  };
  const { config, lines } = await bench.import({ config: client({ server: SERVER, services }) });
  expect(config).toEqual({
    servicePorts: true,
    services: [{ name: 'observer', port: 17775, prefix: '/observer' }],
  });
  const o = 'config: orchestrators.o.services';
  expect(lines.filter((line) => line.startsWith(o) && line.includes('What to do'))).toEqual([
    `${o}.eventbus.prot: It is no key that is known, did you mean "port"? What to do: correct it and import it again.`,
    `${o}.killswitch.prefix: A prefix has letters, digits, ".", "_", "~" and "-" between its slashes. What to do: choose another one, for the server and for its clients.`,
    expect.stringMatching(/obsever: There is no service "obsever", did you mean "observer"\?/),
    `${o}.eventbus.port: It is no port. What to do: set the port in services of the configuration.`,
  ]);
});

test('a prefix that would hide paths of the interface is left out', async () => {
  const services = { observer: { prefix: 'workflows/observer' }, killswitch: { prefix: 'k' } };
  const { config, lines } = await bench.import({ config: client({ server: SERVER, services }) });
  expect(config).toEqual({ services: [{ name: 'killswitch', prefix: '/k' }] });
  expect(lines).toContain(
    'config: orchestrators.o.services.observer.prefix: Paths of the interface begin in this way, too. What to do: choose another one, for the server and for its clients.',
  );
});

test('ports with TLS belong to a proxy', async () => {
  const places = { server: 'https://tests.example.com', services: { observer: { port: 443 } } };
  const { config, lines } = await bench.import({ config: client(places) });
  expect(config).toBeNull();
  expect(lines).toContain(
    'config: orchestrators.o.services.observer.port: The port speaks TLS, so it is that of a proxy, which stays (tutti docs operate/reverse-proxy).',
  );
});

test('a port that the service itself has not is that of something in between', async () => {
  const { config, lines } = await bench.import({
    'conf/observer.yaml': serviceFile({ port: 7775 }),
    config: client({ server: SERVER, services: { observer: { port: 80 } } }),
  });
  expect(config).toEqual({ servicePorts: true });
  expect(lines).toContain(
    'config: orchestrators.o.services.observer.port: The service itself is configured for port 7775, so something in between leads there. What to do: let that lead to this server, or set the port in services of the configuration.',
  );
});

test('settings that a file of variables cannot hold are reported', async () => {
  const user = { token: 't0ken', colors: true, 'job-depth': 2 };
  const places = { server: SERVER, 'insecure-skip-tls-verify': 'true', 'max-retry': 3 };
  const { lines } = await bench.import({ config: client(places, user, { namespace: 'team' }) });
  const none =
    'A file of variables has no such default. What to do: keep the contexts as they are: "tutti config import".';
  expect(lines).toEqual([
    'clients/here.env (has secrets; only you can read it)',
    'config: users.u.token -> clients/here.env',
    'config: contexts.here -> clients/here.env',
    'config: contexts.here.namespace: A file of variables has no namespace. What to do: keep the contexts as they are: "tutti config import", or name it when a run is started: "tutti run FILE --namespace team".',
    'config: orchestrators.o.insecure-skip-tls-verify: Certificates are checked unless somebody says otherwise. What to do: name the authority of this one: TUTTI_CA_FILE=FILE, or keep the contexts as they are: "tutti config import".',
    `config: users.u.job-depth: ${none}`,
    `config: users.u.colors: ${none}`,
    'config: orchestrators.o.max-retry: "tutti run --wait" outlives restarts of the server.',
  ]);
});

test('missing parts are reported with the probable ones', async () => {
  const file = {
    ...client({ server: 'nonsense' }),
    'current-context': 'hree',
    contexts: [
      { name: 'here', context: { orchestrator: 'o', user: 'me' } },
      { name: 'empty', context: {} },
    ],
    users: [{ name: 'mee', user: {} }],
  };
  const { lines, config } = await bench.import({ config: file });
  expect(config).toBeNull();
  expect(lines).toEqual([
    'config: current-context: There is no context "hree", did you mean "here"? What to do: use the file of another one.',
    'config: contexts.here.user: There is no user "me", did you mean "mee"? What to do: correct it and import it again.',
    'config: contexts.here: Its server has no address. What to do: name the server with --server or TUTTI_SERVER.',
    'config: contexts.empty.orchestrator: It names no orchestrator. What to do: correct it and import it again.',
    'config: contexts.empty.user: It names no user. What to do: correct it and import it again.',
    'config: users.mee: No context names it.',
  ]);
});

test('parts of a wrong form are reported', async () => {
  const file = {
    ...client({ server: SERVER, services: { receptionist: 7774 }, ports: [] }),
    contexts: { here: {} },
    users: [null, { user: {} }, { name: 'u', user: 5 }],
  };
  const { lines } = await bench.import({ config: file });
  const mend = 'What to do: correct it and import it again.';
  expect(lines).toEqual([
    `config: contexts: It is no list of entries with a name each. ${mend}`,
    `config: users[0]: It is no entry with a name. ${mend}`,
    `config: users[1]: It is no entry with a name. ${mend}`,
    `config: users[2].user: It is no map. ${mend}`,
    'config: current-context: There is no context "here". What to do: use the file of another one.',
    `config: orchestrators.o.ports: It is no map. ${mend}`,
    `config: orchestrators.o.services.receptionist: It is no map. ${mend}`,
    'config: orchestrators.o: No context names it.',
    'config: users.u: No context names it.',
  ]);
});

test('a wrong token is reported, and a server is written without it', async () => {
  const { lines } = await bench.import({
    config: client({ server: SERVER }, { token: 'two words' }),
  });
  expect(lines).toContain(
    'config: users.u.token: It is no token: it has blanks, line breaks or signs that no token has. What to do: name one with --token-file or TUTTI_TOKEN.',
  );
});
