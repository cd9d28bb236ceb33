/** The execution log as text, and parts of it (specification 4.5). */
import { describe, expect, test } from 'vitest';
import { bodyOf, type Loose } from '../support/api.ts';
import { expectStatus } from '../support/expect-status.ts';
import { createGate } from '../support/gate.ts';
import { allEvents, ended, logged, logOf, logTexts, oneJob, sh, start } from '../support/runs.ts';
import { useSample } from '../support/sample-run.ts';

const sample = useSample();
const { get, getDone } = sample;

describe('4.5: logs', () => {
  // HTTP 2.1: Listings of agents and subscriptions, files and logs are documents of their own.
  // HTTP 4.5: Logs: text that begins with name and namespace, then a line per entry.
  test('begins with name and namespace, then has one line per entry', async () => {
    const answer = await getDone('logs');
    expect(answer.code).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('accept-ranges')).toBe('bytes');
    const [name, namespace, ...entries] = answer.text.split('\n');
    expect([name, namespace]).toEqual(['Workflow sample', '(running in namespace "default")']);
    expect(entries.pop()).toBe('');
    for (const entry of entries) {
      expect(entry).toMatch(
        /^\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\] \[job [0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\] ./,
      );
    }
  });

  /** The answer to a range: code, text and `Content-Range`. */
  test.each<[string, (log: string) => readonly [number, string, string | null]]>([
    ['bytes=0-9', (log) => [206, log.slice(0, 10), `bytes 0-9/${log.length}`]],
    ['bytes=5-', (log) => [206, log.slice(5), `bytes 5-${log.length - 1}/${log.length}`]],
    [
      'bytes=-7',
      (log) => [206, log.slice(-7), `bytes ${log.length - 7}-${log.length - 1}/${log.length}`],
    ],
    ['bytes=0-999999999', (log) => [206, log, `bytes 0-${log.length - 1}/${log.length}`]],
    ['bytes=-999999999', (log) => [206, log, `bytes 0-${log.length - 1}/${log.length}`]],
    ['bytes=0-1,4-5', (log) => [200, log, null]],
    ['bytes=9-2', (log) => [200, log, null]],
    ['lines=0-9', (log) => [200, log, null]],
    ['bytes=x', (log) => [200, log, null]],
    // HTTP 4.5: Logs: 206 for a range, 416 for one behind the end.
  ])('the range %s', async (range, expected) => {
    // Every character of this log is one byte.
    const [code, text, contentRange] = expected(await logOf(sample.server, sample.done));
    const answer = await getDone('logs', undefined, { range });
    expect([answer.code, answer.text, answer.headers.get('content-range')]).toEqual([
      code,
      text,
      contentRange,
    ]);
    expect(answer.headers.get('content-length')).toBe(String(text.length));
  });

  // HTTP 4.5: Logs: 206 for a range, 416 for one behind the end.
  test.each(['bytes=999999-', 'bytes=-0'])('the range %s is not satisfiable', async (range) => {
    const { length } = await logOf(sample.server, sample.done);
    const answer = await getDone('logs', undefined, { range });
    expectStatus(answer);
    expect(bodyOf(answer)).toMatchObject({ code: 416, reason: 'RangeNotSatisfiable' });
    expect(answer.headers.get('content-range')).toBe(`bytes */${length}`);
  });

  // HTTP 4.5: Logs: a range under a condition is all of it.
  test('a range with a condition that cannot hold is the whole log', async () => {
    const log = await logOf(sample.server, sample.done);
    for (const condition of ['"x"', 'Sat, 31 Jan 2026 12:00:00 GMT']) {
      const headers = { range: 'bytes=5-', 'if-range': condition };
      const answer = await getDone('logs', undefined, headers);
      expect([answer.code, answer.text]).toEqual([200, log]);
      expect(answer.headers.get('content-range')).toBeNull();
    }
  });

  test('HEAD tells the size, and knows no ranges', async () => {
    const { length } = await logOf(sample.server, sample.done);
    const headers = { range: 'bytes=0-9' };
    const answer = await sample.server.call('HEAD', `/workflows/${sample.done}/logs`, { headers });
    expect([answer.code, answer.text]).toEqual([200, '']);
    expect(answer.headers.get('content-length')).toBe(String(length));
  });

  // HTTP 4.5: Logs: while the run goes on.
  test('grows while a step runs, and a reader gets what is new', async () => {
    const { step, open } = createGate(sample.bench, 'early', 'late');
    const id = await start(sample.server, oneJob('growing', [step]));
    const { length } = await logged(sample.server, id, '] early\n');
    const rest = () => get(`/workflows/${id}/logs`, undefined, { range: `bytes=${length}-` });
    expect((await rest()).code).toBe(416);
    await open();
    expect(await ended(sample.server, id)).toBe('DONE');
    const answer = await rest();
    expect(answer.code).toBe(206);
    expect(answer.text).toMatch(/^\[[^\]]+\] \[job [^\]]+\] late\n/);
    expect((await logOf(sample.server, id)).slice(length)).toBe(answer.text);
  });

  // HTTP 4.5: Logs: streaming, as the run goes on, to its end.
  test('with follow, comes as it is written, to the end of the run, whatever range is asked for', async () => {
    const { step, open } = createGate(sample.bench, 'early', 'late');
    const id = await start(sample.server, oneJob('followed', [step]));
    const reader = await fetch(`${sample.server.url}/workflows/${id}/logs?follow`, {
      headers: { authorization: `Bearer ${sample.server.token}`, range: 'bytes=5-9' },
    });
    expect(reader.status).toBe(200);
    expect(reader.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(reader.headers.get('x-processed-query')).toBe('follow');
    let text = '';
    for await (const piece of reader.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += piece;
      if (text.endsWith('] early\n')) await open();
    }
    expect(text).toBe(await logOf(sample.server, id));
    expect(text.trimEnd()).toMatch(/Workflow completed successfully\.$/);
  });

  test('of much output is the same for each follower, and stays as it was shown when a text of it is masked later', async () => {
    const { server } = sample;
    const { step, open } = createGate(sample.bench);
    const much = sh(
      'seq -f "keyword %.0f" 5000; printf "\\033[31mcolored keyword\\n%.0s" $(seq 500)',
    );
    const steps = [much, step, sh('echo "::add-mask::keyword"; echo a keyword')];
    const id = await start(server, oneJob('much', steps));
    const follow = async (query: string) => {
      const headers = { authorization: `Bearer ${server.token}` };
      const url = `${server.url}/workflows/${id}/logs?follow${query}`;
      return (await fetch(url, { headers })).text();
    };
    const early = [follow(''), follow('')];
    const shown = await logged(server, id, '] held\n');
    expect(shown).toContain('] keyword 4999\n');
    const late = follow(`&from=${shown.length - 100_000}`);
    await open();
    expect(await ended(server, id)).toBe('DONE');
    const log = await logOf(server, id);
    expect(log.startsWith(shown)).toBe(true);
    expect(log).toContain('] a ***\n');
    for (const text of await Promise.all(early)) expect(text === log).toBe(true);
    expect((await late) === log.slice(shown.length - 100_000)).toBe(true);
    const range = { range: `bytes=${shown.length - 50_000}-${shown.length - 1}` };
    const part = await get(`/workflows/${id}/logs`, undefined, range);
    expect(part.text === shown.slice(-50_000)).toBe(true);
    expect(JSON.stringify(await allEvents(server, id))).not.toContain('keyword 4999');
  });

  test('with follow, of a run that is over is the whole log; HEAD does not stay for more', async () => {
    const whole = await logOf(sample.server, sample.done);
    expect((await getDone('logs', 'follow=true')).text).toBe(whole);
    expect((await getDone('logs', 'follow=false', { range: 'bytes=0-3' })).code).toBe(206);
    expect(bodyOf(await getDone('logs', 'follow=maybe'))).toMatchObject({ code: 422 });
    const path = `/workflows/${sample.waiting}/logs`;
    const head = await sample.server.call('HEAD', path, { query: 'follow' });
    expect([head.code, head.text]).toEqual([200, '']);
  });

  test('without its beginning is what stands behind so many bytes, followed or not', async () => {
    const whole = await logOf(sample.server, sample.done);
    for (const query of ['from=20', 'follow&from=20']) {
      const answer = await getDone('logs', query);
      expect([answer.code, answer.text]).toEqual([200, whole.slice(20)]);
      expect(answer.headers.get('x-processed-query')).toContain('from');
    }
    expect((await getDone('logs', 'from=999999')).text).toBe('');
    expect((await getDone('logs', 'from=9', { range: 'bytes=0-3' })).text).toBe(whole.slice(0, 4));
    expect(bodyOf(await getDone('logs', 'follow&from=-1'))).toMatchObject({ code: 422 });
  });

  const nested = { uses: 'actions/create-file@v1', with: { data: 'x', format: 'txt', path: 'x' } };
  test.each<[string, Loose, readonly string[], readonly string[]]>([
    [
      'nothing',
      {},
      ['Running command: echo one; echo two\necho three\n'],
      ['Running command: cat'],
    ],
    [
      'all depths',
      { 'step-depth': '0', 'job-depth': '0', 'max-command-length': '0' },
      ['Running command: echo one; echo two\necho three\n', 'Running command: cat'],
      [],
    ],
    [
      'short commands',
      { 'max-command-length': '8' },
      ['Running command: echo one...'],
      ['Running command: cat', '; echo two', 'echo three'],
    ],
    // HTTP 2.5: Three labels choose what the log shows.
    // HTTP 4.5: Logs: outer jobs and steps with whole commands, unless labels say otherwise.
  ])('with labels for %s', async (_name, options, shown, hidden) => {
    const labels = Object.fromEntries(
      Object.entries(options).map(([name, value]) => [`live-executionlog/${name}`, value]),
    );
    const manifest = oneJob('shown', [nested, sh('echo one; echo two\necho three\n')]);
    const metadata = { name: 'shown', ...(Object.keys(labels).length === 0 ? {} : { labels }) };
    const id = await start(sample.server, { ...manifest, metadata });
    expect(await ended(sample.server, id)).toBe('DONE');
    const log = (await logTexts(sample.server, id)).map((text) => text.trim()).join('\n');
    for (const text of shown) expect(log).toContain(text);
    for (const text of hidden) expect(log).not.toContain(text);
  });
});
