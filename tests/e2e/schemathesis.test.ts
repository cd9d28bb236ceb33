/**
 * A tool that knows nothing of this project reads `openapi.json` and tries to prove it wrong. It looks for wrong answers and headers,
 * failures of the server, accepted invalid requests and refused valid ones. It is installed from the Python package index on first use.
 * Without Python or without that index the test says so and is skipped.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeEnvironment, PIP } from '../support/python-environment.ts';
import { type ServerChild, Workbench } from '../support/workbench.ts';

const VERSION = '4.32.5';
const HOME = join(import.meta.dirname, '../../node_modules/.cache', `schemathesis-${VERSION}`);
/** Written when the installation is complete. */
const MARKER = join(HOME, 'installed');
const INSTALL_WITHIN_MS = 150_000;
/** Duration of the search, in seconds. It does not limit the checks that run once at the start. */
const SEARCH_SECONDS = 30;
const RUN_WITHIN_MS = 150_000;
/** The same search each time, as far as the time allows. */
const SEED = '20260131';

const CONFIGURATION = `
# What no schema can say is refused as Invalid: selectors, scopes, a pair of parameters of which both or none are needed. The
# key __proto__ makes a document malformed. Bytes are for agents of the protocol tutti.v1 only (415).
[checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "401", "403", "404", "409", "413", "415", "416", "422"]

# A document that is too long is refused before it is read.
[checks.negative_data_rejection]
expected-statuses = ["4xx"]

# With ?ping nothing of the request is looked at (specification 4.6).
[[operations]]
include-name = "POST /workflows"
checks.negative_data_rejection.enabled = false

# Agents of all ages post what is not quite the same; what is not understood is passed over.
[[operations]]
include-name = "POST /agents/{agent_id}"
checks.negative_data_rejection.enabled = false

# A workflow that was cancelled is still there, and what a dry run answers 201 to never is (specification 4.6).
[[operations]]
include-path-regex = "^/workflows/"
checks.use_after_free.enabled = false
checks.ensure_resource_availability.enabled = false

# DELETE /workflows/status is about a workflow whose id is wrong: 422, as the specification wants it (4.7).
[[operations]]
include-name = "GET /workflows/status"
checks.unsupported_method.enabled = false

# GET answers each address below /ui/ with the page.
[[operations]]
include-name = "POST /ui/codes"
checks.unsupported_method.enabled = false
checks.allow_header_conformance.enabled = false

# GET /agents/polls is about an agent that is not known.
[[operations]]
include-name = "POST /agents/polls"
checks.unsupported_method.enabled = false
`;

interface Outcome {
  readonly code: number;
  readonly output: string;
}

async function run(
  command: string,
  args: readonly string[],
  { cwd, timeout }: { readonly cwd: string; readonly timeout: number },
): Promise<Outcome> {
  let output = '';
  const child = execFile(command, args, { cwd, timeout, maxBuffer: 64 * 1024 * 1024 });
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  }
  try {
    const [code] = await once(child, 'close');
    return { code: typeof code === 'number' ? code : -1, output };
  } catch (error) {
    return { code: -1, output: String(error) };
  }
}

/** Null when the tool is there, otherwise why not. */
async function install(): Promise<string | null> {
  const isInstalled = await access(MARKER).then(
    () => true,
    () => false,
  );
  if (isInstalled) return null;
  await rm(HOME, { recursive: true, force: true });
  await mkdir(HOME, { recursive: true });
  const options = { cwd: HOME, timeout: INSTALL_WITHIN_MS };
  try {
    await makeEnvironment('python3', HOME);
  } catch (error) {
    return `no environment of Python: ${String(error).slice(-500)}`;
  }
  // Where the index cannot be reached, trying again and again only makes the test slow.
  const patience = ['--retries', '1', '--timeout', '20'];
  const wanted = `schemathesis==${VERSION}`;
  const words = [...PIP, 'install', '--quiet', ...patience, wanted];
  const got = await run(join(HOME, 'bin/python'), words, options);
  if (got.code !== 0) return `the package cannot be installed: ${got.output.slice(-500)}`;
  await writeFile(MARKER, '');
  return null;
}

let bench: Workbench;
let server: ServerChild;

beforeAll(async () => {
  bench = await Workbench.open();
  server = await bench.server();
});

afterAll(() => bench.close());

test('a tool that reads openapi.json finds nothing that is not as it says', {
  timeout: 2 * INSTALL_WITHIN_MS + RUN_WITHIN_MS,
}, async ({ skip }) => {
  const missing = await install();
  if (missing !== null) {
    process.stderr.write(`SKIPPED: openapi.json is not held against the server, ${missing}\n`);
    skip(missing);
  }
  const description = await server.call('GET', '/openapi.json');
  await writeFile(join(bench.folder, 'openapi.json'), description.text);
  await writeFile(join(bench.folder, 'schemathesis.toml'), CONFIGURATION);
  const { code, output } = await run(
    join(HOME, 'bin/schemathesis'),
    [
      ...['run', 'openapi.json', '--url', server.url, '--no-color', '--warnings', 'off'],
      ...['--header', `Authorization: Bearer ${server.token}`],
      ...['--max-time', String(SEARCH_SECONDS), '--seed', SEED, '--continue-on-failure'],
    ],
    { cwd: bench.folder, timeout: RUN_WITHIN_MS },
  );
  expect(output.slice(-20_000)).toMatch(/No issues found/);
  expect(code).toBe(0);
  expect(server.child.isRunning).toBe(true);
  expect(server.child.stderr).not.toMatch(/"level":"(?:error|fatal)"/);
});
