/** Tickets for report folders, and the port that shows them. */
import { request } from 'node:http';
import { REPORT_FOLDER_TYPE } from '@tutti/manifests';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyOf, detailsOf } from '../support/api.ts';
import { expectStatus } from '../support/expect-status.ts';
import { freePort } from '../support/free-port.ts';
import { attachmentOf, ended, oneJob, sh, start } from '../support/runs.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const PACKED = `mkdir -p out/html/trace out/r
echo '<h1>Report</h1>' > out/html/index.html; echo viewer > out/html/trace/index.html
echo trace > out/r/trace.zip; seq 100 > out/video.webm; ln -sf /etc/passwd out/link
tar -czf report.tar.gz -C out ./html ./r ./video.webm ./link
echo "::attach type=${REPORT_FOLDER_TYPE}::$PWD/report.tar.gz"`;

let bench: Workbench;
let server: ServerChild;
let port: number;
let report: string;
let other: string;
let broken: string;

beforeAll(async () => {
  bench = await Workbench.open();
  port = await freePort();
  server = await bench.server({ config: { ui: { reportsPort: port } } });
  await bench.agent(server, { tags: ['linux'] });
  const attached = async (script: string) => {
    const id = await start(server, oneJob('report', [sh(script)]));
    await ended(server, id);
    return attachmentOf(server, id);
  };
  report = await attached(PACKED);
  other = await attached('echo x > x.html; echo "::attach type=text/html::$PWD/x.html"');
  broken = await attached(`echo x > x; echo "::attach type=${REPORT_FOLDER_TYPE}::$PWD/x"`);
});

afterAll(() => bench.close());

interface Ticket {
  readonly url: string;
  readonly page: string | null;
  readonly traces: readonly { readonly path: string; readonly url: string }[];
  readonly files: number;
  readonly expires: string;
}

async function ticket(): Promise<Ticket> {
  const answer = await server.call('POST', `${report}/ticket`);
  expectStatus(answer);
  expect(bodyOf(answer)).toMatchObject({ code: 201, reason: 'Created' });
  // The test looks at each part of it.
  return detailsOf(answer) as unknown as Ticket;
}

/** The code of the answer to a path as it is, without the rules of addresses. */
const codeOf = (at: number, path: string): Promise<number> =>
  new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: at, path }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    })
      .on('error', reject)
      .end();
  });

describe('a ticket for a report', () => {
  test('has the addresses of its files, of its first page, and of its traces', async () => {
    const { url, page, traces, files } = await ticket();
    expect(url).toMatch(new RegExp(`^http://127\\.0\\.0\\.1:${port}/[\\w-]{32}/$`));
    expect(page).toBe(`${url}html/index.html`);
    expect(traces).toEqual([
      {
        path: 'r/trace.zip',
        url: `${url}html/trace/index.html?trace=${encodeURIComponent(`${url}r/trace.zip`)}`,
      },
    ]);
    expect(files).toBe(4);
  });

  test('opens the report to whoever has it, and lets it load nothing from elsewhere', async () => {
    const { url, page } = await ticket();
    const answer = await fetch(page ?? '');
    expect([answer.status, await answer.text()]).toEqual([200, '<h1>Report</h1>\n']);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'self'");
    expect(policy).toContain(`frame-ancestors 'self' ${server.url};`);
    expect(answer.headers.get('set-cookie')).toBeNull();
    expect(await (await fetch(url)).text()).toContain('video.webm');
    const range = await fetch(`${url}video.webm`, { headers: { range: 'bytes=2-3' } });
    expect([range.status, await range.text()]).toEqual([206, '2\n']);
    expect((await fetch(url, { method: 'POST' })).status).toBe(401);
    expect((await fetch(`${url}html/index.html`, { method: 'HEAD' })).status).toBe(200);
  });

  test('gives nothing else, on neither port', async () => {
    const { url } = await ticket();
    const path = new URL(url).pathname;
    const [main] = [Number(new URL(server.url).port)];
    const onReports = ['/', '/health', '/ui/session', '/workflows', '/reports/', '//workflows'];
    const inReport = ['link', '..%2f..%2fetc/passwd', '../../health', 'none', '%ff'];
    const codes = await Promise.all([
      ...onReports.map((each) => codeOf(port, each)),
      ...inReport.map((each) => codeOf(port, path + each)),
      codeOf(port, `${path.slice(0, -2)}${path.at(-2) === 'x' ? 'y' : 'x'}/html/index.html`),
      codeOf(main, `/reports${path}html/index.html`),
    ]);
    // Paths that are malformed, or that the router does not know, ask for a token.
    expect(codes.filter((code) => code !== 401 && code !== 404)).toEqual([]);
    const whole = await fetch(`http://127.0.0.1:${port}/workflows`, {
      headers: { authorization: `Bearer ${server.token}` },
    });
    expect(whole.status).toBe(404);
  });

  test.each([
    ['of another kind', () => other, 'Only files of the type'],
    ['that is damaged', () => broken, 'The archive of the report is damaged'],
  ])('is not made for a file %s', async (_what, path, message) => {
    const answer = await server.call('POST', `${path()}/ticket`);
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(String(bodyOf(answer).message)).toContain(message);
  });

  // Bound: Reports that are looked at.
  test('is refused while too many reports are looked at', async () => {
    const codes: number[] = [];
    for (let each = 0; each <= 8; each += 1) {
      codes.push((await server.call('POST', `${report}/ticket`)).code);
    }
    expect(codes.at(-1)).toBe(429);
    expect(codes).toContain(201);
  });
});

test('a server without that port says so', async () => {
  const without = await bench.server();
  await bench.agent(without, { tags: ['linux'] });
  const id = await start(without, oneJob('report', [sh(PACKED)]));
  await ended(without, id);
  const answer = await without.call('POST', `${await attachmentOf(without, id)}/ticket`);
  expect(bodyOf(answer)).toMatchObject({ code: 409, reason: 'Conflict' });
});
