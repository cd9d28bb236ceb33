/** `tutti report open`, and the evidence in `tutti testcases`, over runs that really were. */
import { existsSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { ended, type Manifest, sh, start, workersEnded } from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';
import { type CliProcess, runCli, startCli } from './cli-process.ts';

const TYPE = 'application/vnd.tutti.report-folder+gzip';
const { bench, server } = await sharedServer({ tags: ['linux'] });

const JUNIT =
  '<testsuite name="cart"><testcase name="adds"><failure message="no">at line 3</failure><system-out>[[ATTACHMENT|out/shots/a b.png]]</system-out></testcase><testcase name="pays"/></testsuite>';

/** The name of the command in its hints. */
const OWN_NAME = /node \S*tutti\.js/g;

/** Files of a folder, its list, and an archive of both. */
const packed = (name: string) => `mkdir -p out/html out/shots
echo '<h1>Report of ${name}</h1>' > out/html/index.html; echo picture > 'out/shots/a b.png'; seq 1000 > out/video.webm
printf '+ ./html/index.html\\n+ ./shots/a b.png\\n- ./big.webm\\n' > out/.tutti-files
ln -sf /etc/passwd out/link
tar -czf ${name}.tar.gz -C out ./.tutti-files ./html/index.html './shots/a b.png' ./video.webm ./link
echo "::attach type=${TYPE}::$PWD/${name}.tar.gz"`;

const report = (content: string) =>
  `echo '${content}' > r.xml; echo "::attach type=application/vnd.opentestfactory.shop-surefire+xml::$PWD/r.xml"`;

const job = (...scripts: readonly string[]): Manifest => ({
  'runs-on': 'linux',
  steps: scripts.map((script) => sh(script)),
});

const RUNS = {
  one: { shop: job(`${packed('shop')}\n${report(JUNIT)}`) },
  two: { shop: job(packed('first'), packed('second')), pay: job(packed('pay')) },
  none: { shop: job(report(JUNIT)) },
  nothing: { shop: job('true') },
  gone: { shop: job(packed('shop')) },
  broken: { shop: job(`echo none > x; echo "::attach type=${TYPE}::$PWD/x"\n${report(JUNIT)}`) },
};
let ids: Readonly<Record<keyof typeof RUNS, string>>;

beforeAll(async () => {
  const started = Object.entries(RUNS).map(async ([name, jobs]) => {
    const id = await start(server, { metadata: { name }, jobs });
    await ended(server, id, { withinMs: 60_000 });
    await workersEnded(server, id);
    return [name, id] as const;
  });
  ids = Object.fromEntries(await Promise.all(started)) as typeof ids;
});

const surroundings = (env: Readonly<Record<string, string>> = {}) => ({
  cwd: bench.folder,
  env: { TUTTI_TOKEN: server.token, TUTTI_SERVER: server.url, ...env },
});

const opens = (...args: readonly string[]) => runCli(['report', 'open', ...args], surroundings());

/** Runs the check while the report is open, then stops the command as Ctrl-C does. */
async function whileOpen(
  args: readonly string[],
  check: (address: string, all: string, command: CliProcess) => Promise<void>,
  env?: Readonly<Record<string, string>>,
): Promise<void> {
  const command = startCli(['report', 'open', ...args], surroundings(env));
  try {
    const [, address = ''] = await command.said(/^(http:\/\/127\.0\.0\.1:\d+\/\w{32}\/.*)$/m);
    const [, all = ''] = await command.said(/^All files: (.*)$/m);
    await check(address, all, command);
  } finally {
    command.kill('SIGINT');
  }
  expect(await command.ended).toBe(0);
}

/** The answer to a request as a browser would not send it. */
const ask = (address: string, options: { method?: string; host?: string; path?: string } = {}) =>
  new Promise<{ code: number | undefined; headers: unknown }>((resolve, reject) => {
    const { method, host, path } = options;
    const headers = host === undefined ? {} : { host };
    const url = new URL(address);
    const about = { method, headers, path: path ?? url.pathname };
    request(url, about, (response) => {
      response.resume();
      resolve({ code: response.statusCode, headers: response.headers });
    })
      .on('error', reject)
      .end();
  });

describe('a report that was attached with its files', () => {
  test('is served to this machine alone until Ctrl-C, and says what it lacks', async () => {
    let left = '';
    await whileOpen([ids.one, '--no-browser'], async (address, all, command) => {
      left = address;
      expect(address).toBe(`${all}html/index.html`);
      const page = await fetch(address);
      expect(await page.text()).toBe('<h1>Report of shop</h1>\n');
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('content-security-policy')).toContain("default-src 'self'");
      expect(page.headers.get('set-cookie')).toBeNull();
      expect((await fetch(`${all}html/`)).status).toBe(200);
      const video = await fetch(`${all}video.webm`, { headers: { range: 'bytes=2-3' } });
      expect([video.status, await video.text()]).toEqual([206, '2\n']);
      expect(command.stderr()).toContain(
        'tutti: 1 file of the report is not there, as it was too large: big.webm.\n',
      );
      expect(command.stderr()).toContain(
        'tutti: 1 path of the archive is not shown: only files of the folder are: ./link.\n',
      );
    });
    await expect(fetch(left)).rejects.toThrow();
  });

  test('has a page with all of its files', async () => {
    await whileOpen([ids.one, '--no-browser'], async (_address, all) => {
      const page = await (await fetch(all)).text();
      expect(page).toContain('<h1>shop.tar.gz of shop</h1>');
      expect(page).toContain('<img loading="lazy" alt="" src="shots/a%20b.png">');
      expect(page).toContain('big.webm: left out, too large');
    });
  });

  test('gives nothing to other names, paths and methods', async () => {
    await whileOpen([ids.one, '--no-browser'], async (address, all) => {
      const { host, origin } = new URL(all);
      const codes = await Promise.all([
        ask(address),
        ask(address, { host: 'evil.example' }),
        ask(address, { method: 'POST' }),
        ask(`${origin}/`),
        ask(`${origin}/html/index.html`),
        ask(all, { path: `${new URL(all).pathname}../../etc/passwd` }),
        ask(all, { path: `${new URL(all).pathname}%2e%2e/link` }),
        ask(all, { path: `${new URL(all).pathname}link` }),
        ask(all, { path: `${new URL(all).pathname}%ff` }),
        ask(all, { path: `${new URL(all).pathname}.tutti-files` }),
      ]);
      expect(host).toMatch(/^127\.0\.0\.1:/);
      expect(codes.map(({ code }) => code)).toEqual([
        200, 403, 405, 404, 404, 404, 404, 404, 404, 404,
      ]);
    });
  });

  test('is opened in $BROWSER, at the file that was asked for', async () => {
    const args = [ids.one, 'shots/a b.png'];
    const env = { BROWSER: 'touch opened' };
    await whileOpen(
      args,
      async (address, all, command) => {
        expect(address).toBe(`${all}shots/a%20b.png`);
        expect(command.stderr()).not.toContain('No browser');
        await eventually('the browser', () => existsSync(`${bench.folder}/opened`));
      },
      env,
    );
    await whileOpen(
      args,
      async (_address, _all, command) => {
        expect(command.stderr()).toContain('No browser can be started here.');
      },
      { BROWSER: '/no/such/program' },
    );
  });

  test('is found by its job, and by its step in the job', async () => {
    const choice = ['--job', 'shop', '--step', '2', '--no-browser'];
    await whileOpen([ids.two, ...choice], async (address) => {
      expect(await (await fetch(address)).text()).toBe('<h1>Report of second</h1>\n');
    });
    await whileOpen([ids.two, '--job', 'pay', '--no-browser'], async (address) => {
      expect(await (await fetch(address)).text()).toBe('<h1>Report of pay</h1>\n');
    });
  });
});

describe('what cannot be opened', () => {
  const UNKNOWN = '00000000-0000-4000-8000-000000000000';

  test('a report whose archive is gone is refused', async () => {
    const { stdout } = await runCli(['attachments', ids.gone, '-o', 'name'], surroundings());
    const uuid = stdout.trim();
    const files = await readdir(server.dataDir, { recursive: true });
    const path = files.find((each) => each.endsWith(uuid));
    await rm(`${server.dataDir}/${path}`);
    const { code, stderr } = await opens(ids.gone, '--no-browser');
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${uuid} not found.`)]);
  });

  test.each<[what: string, args: () => readonly string[], message: () => string]>([
    [
      'one of several',
      () => [ids.two],
      () =>
        `tutti: Workflow ${ids.two} has 3 reports.\nWhat to do: choose one: "tutti report open ${ids.two} --job `,
    ],
    [
      'one of another job',
      () => [ids.two, '--job', 'x'],
      () => `tutti: Workflow ${ids.two} has no report of that job and step.\nWhat to do: there are`,
    ],
    [
      'that of a run with other files',
      () => [ids.none],
      () =>
        `tutti: Workflow ${ids.none} has no report that can be opened.\nWhat to do: see its 1 attachment with "tutti attachments ${ids.none}"`,
    ],
    [
      'that of a run without files',
      () => [ids.nothing],
      () =>
        `tutti: Workflow ${ids.nothing} has no report that can be opened.\nWhat to do: functions of Playwright,`,
    ],
    ['that of no run', () => [UNKNOWN], () => `tutti: Workflow ${UNKNOWN} not found.`],
    ['a damaged one', () => [ids.broken], () => 'tutti: The archive of the report is damaged'],
    [
      'a file that it does not have',
      () => [ids.one, '../x'],
      () => 'tutti: There is no file "../x" in the report.\nWhat to do: leave it out',
    ],
  ])('%s is refused', async (_what, args, message) => {
    const { code, stdout, stderr } = await opens(...args(), '--no-browser');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr.replaceAll(OWN_NAME, 'tutti')).toContain(message());
  });
});

describe('the evidence of a test case', () => {
  const shown = (id: string, name: string) => runCli(['testcases', id, name], surroundings());

  test('is listed with the commands that open it', async () => {
    const { stdout } = await shown(ids.one, 'cart#adds');
    expect(stdout.replaceAll(OWN_NAME, 'tutti')).toContain(
      `\nEvidence\n  tutti report open ${ids.one} 'shots/a b.png'\n`,
    );
    expect((await shown(ids.one, 'cart#pays')).stdout).not.toContain('Evidence');
  });

  test('is not listed if the archive cannot be read', async () => {
    const { code, stdout } = await shown(ids.broken, 'cart#adds');
    expect([code, stdout.includes('Evidence')]).toEqual([0, false]);
  });

  test('is linked from the end of the run, and from its page', async () => {
    const { stdout } = await runCli(['status', ids.one], surroundings());
    expect(stdout.replaceAll(OWN_NAME, 'tutti')).toContain(`tutti report open ${ids.one}\n`);
    const html = await runCli(
      ['report', ids.one, '--html', '--as', 'page.html', '--force'],
      surroundings(),
    );
    expect(html.code).toBe(0);
    const page = await readFile(`${bench.folder}/page.html`, 'utf8');
    expect(page).toContain(`<dd><bdi>tutti report open ${ids.one}</bdi></dd>`);
  });
});
