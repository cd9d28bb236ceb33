/** Output of steps: whatever they print, each line of the log stays readable, and masked texts stay hidden. */
import { describe, expect, test } from 'vitest';
import { createGate } from '../support/gate.ts';
import {
  allEvents,
  ended,
  logged,
  logOf,
  logTexts,
  oneJob,
  only,
  sh,
  start,
} from '../support/runs.ts';
import { sharedServer } from '../support/shared-server.ts';

const { bench, server } = await sharedServer({ tags: ['linux'], name: 'shell' });

async function run(
  name: string,
  ...steps: readonly (string | Readonly<Record<string, unknown>>)[]
) {
  const all = steps.map((step) => (typeof step === 'string' ? sh(step) : step));
  const id = await start(server, oneJob(name, all));
  const status = await ended(server, id);
  return { id, status, log: await logOf(server, id), texts: await logTexts(server, id) };
}

/** The lines that steps printed: results have those that were streamed before, too. */
async function printed(id: string): Promise<readonly string[]> {
  const events = await allEvents(server, id);
  return only(events, 'ExecutionResult').flatMap(({ logs = [] }) => logs);
}

const ENTRY = /^\[2\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\] \[job [0-9a-f-]{36}\] /;

describe('the log', () => {
  test('has the prefix before every line, however a step ends its lines', async () => {
    const { log, texts } = await run(
      'forged',
      String.raw`printf 'one\r[2020-01-01T00:00:00] [job x] forged\r\n\n\v\ftwo\nlast'`,
    );
    const [, , ...lines] = log.split(/\r\n|\r|\n/);
    expect(lines.pop()).toBe('');
    for (const line of lines) expect(line).toMatch(ENTRY);
    expect(texts).toEqual(
      expect.arrayContaining(['one', '[2020-01-01T00:00:00] [job x] forged', 'last']),
    );
  });

  test('keeps control characters as they are, and writes out bytes that are no text', async () => {
    const { id, status } = await run(
      'controls',
      String.raw`printf 'a\033[31mred\033[0mb\0c\007\n\377\376x\303(y\n\342\200\250z\n'`,
    );
    expect(status).toBe('DONE');
    expect(await printed(id)).toEqual([
      'a\u001b[31mred\u001b[0mb\0c\u0007',
      '\\xff\\xfex\\xc3(y',
      '\u2028z',
    ]);
  });

  test('has all of a line of many MiB, in pieces', async () => {
    const { log, texts } = await run(
      'long line',
      `head -c 5000000 /dev/zero | tr '\\0' '~'; echo; echo after`,
    );
    const pieces = texts.filter((text) => text.startsWith('~'));
    expect(pieces.reduce((sum, { length }) => sum + length, 0)).toBe(5_000_000);
    for (const { length } of pieces) expect(length).toBeLessThanOrEqual(64 * 1024);
    expect(log).toContain('] after\n');
  });

  // Language 5: One command per line of standard output, at its beginning.
  test('takes commands from the beginning of lines of standard output alone', async () => {
    const { status, texts } = await run(
      'no commands',
      String.raw`echo ' ::add-mask::a'; echo 'x ::set-output name=a::b'; echo ::add-mask::a >&2; printf 'a\r::stop-commands::x\n'; echo ::unknown::y; echo ::error::told`,
    );
    expect(status).toBe('DONE');
    expect(texts).toEqual(
      expect.arrayContaining([
        ' ::add-mask::a',
        'x ::set-output name=a::b',
        '::add-mask::a',
        'a',
        '::stop-commands::x',
        '::unknown::y',
        'ERROR,told',
      ]),
    );
  });
});

describe('names that every object has', () => {
  test.each(['__proto__', 'constructor', 'toString'])(
    'are names of outputs and variables like any other: %s',
    async (name) => {
      const { status, texts } = await run(
        'names',
        sh(
          `echo "::set-output name=${name}::output"; echo "export ${name}=variable" >> "$OPENTF_VARIABLES"`,
          { id: 'give' },
        ),
        `echo "$${name} \${{ steps.give.outputs.${name} }}"`,
      );
      expect(status).toBe('DONE');
      expect(texts).toContain('variable output');
    },
  );
});

describe('attachments', () => {
  test.each<[string, string, RegExp]>([
    ['climbs', 'name=../../../etc/passwd', /^filename=[0-9a-f-]{36}_.._.._.._etc_passwd$/],
    ['climbs on Windows', 'name=..\\\\..\\\\x', /^filename=[0-9a-f-]{36}_.._.._x$/],
    ['has quotes', `name=a"; filename="b`, /^filename=[0-9a-f-]{36}_a___filename__b$/],
    ['splits headers', `name=a\\rX-Evil: 1`, /^filename=[0-9a-f-]{36}_a_X-Evil__1$/],
    ['is hidden', 'name=.bashrc', /^filename=[0-9a-f-]{36}_\.bashrc$/],
    ['is not ASCII', 'name=données', /^filename=[0-9a-f-]{36}_donn_es$/],
  ])('a name that %s is a name only', async (_name, parameter, disposition) => {
    const parameters = parameter.replaceAll("'", "'\\''");
    const { id, status } = await run(
      'named',
      `echo content > f; printf '::attach ${parameters.replace('%', '%%')},type=text/html\\rX-Evil: 1::%s\\n' "$PWD/f"`,
    );
    expect(status).toBe('DONE');
    const [result] = only(await allEvents(server, id), 'ExecutionResult').filter(
      ({ attachments }) => attachments !== undefined,
    );
    const [path = ''] = result?.attachments ?? [];
    expect(path).toMatch(/^\/tmp\/[0-9a-f-]{73}_0_[^/\\\r\n]+$/);
    const uuid = result?.metadata.attachments?.[path]?.uuid;
    const answer = await server.call('GET', `/workflows/${id}/files/${uuid}`);
    expect([answer.code, answer.text]).toEqual([200, 'content\n']);
    expect(answer.headers.get('x-evil')).toBeNull();
    expect(answer.headers.get('content-type')).toMatch(/^[a-z]+\/[a-z-]+(; charset=utf-8)?$/);
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect(answer.headers.get('content-disposition')?.split('; ').at(-1)).toMatch(disposition);
  });

  test('that are no files are told, and fail the step', async () => {
    const { status, log } = await run(
      'no files',
      'echo "::attach::/dev/null/x"; echo "::attach::$PWD/missing"',
    );
    expect(status).toBe('FAILED');
    expect(log).toContain('ERROR,Could not read /dev/null/x');
    expect(log).toMatch(/ERROR,Could not read \S+\/missing/);
  });

  test('of devices and folders do not hold the run', async () => {
    const { status } = await run(
      'a folder',
      'mkfifo pipe; echo "::attach::$PWD"; echo "::attach::/dev/zero"; echo "::attach::$PWD/pipe"',
    );
    expect(status).toBe('FAILED');
  });
});

describe('masks', () => {
  // Made on the environment, so that the manifest does not have it.
  const MAKE = `S=$(printf 'hunt%s' 'er2'); R=$(printf 'a.b*(c%s' '$'); echo "::add-mask::$S"; echo "::add-mask::$R"; echo "::add-mask::"; echo "::add-mask::hun"`;
  const SECRETS = ['hunter2', 'a.b*(c$'];

  test('hold for both streams, for messages, and for the later steps of the job', async () => {
    const { id, log, texts } = await run(
      'masked',
      `${MAKE}; echo $S > secret; echo "out $S$S"; echo "$R and $S" >&2; echo "::warning::w $S"; echo "::error file=$S::e $R"; echo "::debug::$S"; echo "::set-output $S"; echo "::stop-commands::x"; echo "$S"; echo "::x::"`,
      'echo "later $(cat secret)"; cat secret; cat secret >&2; echo plain',
    );
    const all = [log, ...(await printed(id))].join('\n');
    for (const secret of SECRETS) expect(all).not.toContain(secret);
    expect(texts).toEqual(
      expect.arrayContaining([
        'out ******',
        '*** and ***',
        'WARNING,w ***',
        'ERROR,e ***',
        'DEBUG,***',
        'later ***',
        '***',
        'plain',
      ]),
    );
  });

  test('hold while the step runs, and in other jobs of the run', async () => {
    const gate = createGate(bench);
    const steps = [sh(`${MAKE}; echo "now $S"; ${String(gate.step.run)}; echo "then $S"`)];
    const id = await start(server, {
      metadata: { name: 'masked job' },
      jobs: {
        one: { 'runs-on': 'linux', steps },
        two: { 'runs-on': 'linux', needs: 'one', steps: [sh('echo a hunter is a hunter')] },
      },
    });
    await logged(server, id, '] now ***\n');
    await gate.open();
    expect(await ended(server, id)).toBe('DONE');
    const texts = await logTexts(server, id);
    expect(texts).toEqual(expect.arrayContaining(['now ***', 'then ***', 'a ***ter is a ***ter']));
    expect((await printed(id)).join('\n')).not.toContain('hunter2');
  });
});

test('workflow commands of a wrong form are lines like any other, or told', async () => {
  const { status, texts } = await run(
    'wrong commands',
    'for c in "::" "::::" "::set-output" "::set-output name=::x" "::attach a,b=c::missing" "::add-mask" "::stop-commands::"; do echo "$c"; done',
  );
  expect(status).toBe('FAILED');
  expect(texts).toEqual(
    expect.arrayContaining([
      '::',
      '::::',
      '::set-output',
      '::set-output name=::x',
      'ERROR,Invalid workflow command parameter: a.',
      '::add-mask',
      '::stop-commands::',
    ]),
  );
});
