/** Runs as traces, from the logs that the core itself makes. */
import type { LoggedEvent } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { given } from '../run/testing/given.ts';
import {
  answer,
  bundle,
  cancel,
  type Happening,
  job,
  NOON_MS,
  offer,
  released,
  result,
  workflow,
} from '../run/testing/inputs.ts';
import { type RunSpan, type RunTrace, TRACE_SPANS_MAX, TraceFold } from './run-trace.ts';

function traceOfRun(events: Iterable<LoggedEvent>): RunTrace | null {
  const fold = new TraceFold();
  for (const event of events) fold.add(event);
  return fold.trace();
}

const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

/** So many minutes after the run began. */
const at = (minute: number, happening: Happening): Happening => ({ ...happening, minute });

function traceOf(...happened: readonly Happening[]): RunTrace {
  const trace = traceOfRun(given(...happened).log);
  if (trace === null) throw new Error('There is no trace.');
  return trace;
}

/** One line per span, indented below its parent: its name, minutes from and to, and what went wrong. */
function tree({ spans }: RunTrace): readonly string[] {
  const known = new Set(spans.map(({ id }) => id));
  const below = (parentId: string | null, depth: number): readonly string[] =>
    spans
      .filter((span) => (known.has(span.parentId ?? '') ? span.parentId : null) === parentId)
      .flatMap((span) => [`${'  '.repeat(depth)}${lineOf(span)}`, ...below(span.id, depth + 1)]);
  return below(null, 0);
}

function lineOf({ name, startMs, endMs, error }: RunSpan): string {
  const minuteOf = (ms: number) => (ms - NOON_MS) / 60_000;
  const failure = error === null ? '' : `: ${error}`;
  return `${name} ${minuteOf(startMs)}-${minuteOf(endMs)}${failure}`;
}

const spanNamed = ({ spans }: RunTrace, name: string): RunSpan => {
  const found = spans.find((span) => span.name === name);
  if (found === undefined) throw new Error(`There is no span ${name}.`);
  return found;
};

describe('the spans of a run', () => {
  test('are the run, its jobs, what they waited for, and their steps', () => {
    const steps = ['make', { name: 'Run the tests', run: 'make check\nmake more' }];
    const trace = traceOf(
      workflow({ build: job(steps) }),
      at(2, offer('build')),
      at(3, result('build')),
      at(5, result('build')),
      at(6, released('build')),
    );
    expect(tree(trace)).toEqual([
      'demo 0-6',
      '  build 0-6',
      '    environment 0-2',
      '    make 2-3',
      '    Run the tests 3-5',
    ]);
    expect(spanNamed(trace, 'demo').attributes).toEqual({
      'cicd.pipeline.name': 'demo',
      'cicd.pipeline.run.id': 'workflow-1',
      'cicd.pipeline.result': 'success',
      'tutti.run.namespace': 'default',
    });
    expect(spanNamed(trace, 'build').attributes).toEqual({
      'cicd.pipeline.task.name': 'build',
      'cicd.pipeline.task.run.id': expect.any(String),
      'cicd.pipeline.task.run.result': 'success',
      'cicd.worker.id': 'channel-1',
    });
    expect(spanNamed(trace, 'environment').attributes).toEqual({ 'tutti.job.tags': 'linux' });
    expect(spanNamed(trace, 'make').attributes).toEqual({
      'tutti.step.id': 's0',
      'process.exit.code': 0,
    });
  });

  test('say what failed, up to the run', () => {
    const trace = traceOf(
      workflow({ build: job(['make']) }),
      at(1, offer('build')),
      at(2, result('build', 3)),
      at(3, released('build')),
    );
    const [run, ...rest] = tree(trace);
    expect(run).toMatch(/^demo 0-3: ./);
    expect(rest).toEqual([
      '  build 0-3: The job failed.',
      '    environment 0-1',
      '    make 1-2: Exit code 3.',
    ]);
    expect(spanNamed(trace, 'demo').attributes).toMatchObject({
      'cicd.pipeline.result': 'failure',
    });
  });

  test('of a canceled run end with it', () => {
    const trace = traceOf(workflow({ build: job(['make']) }), at(4, cancel()));
    expect(tree(trace).slice(1)).toEqual(['  build 0-4', '    environment 0-4']);
    expect(spanNamed(trace, 'demo').attributes).toMatchObject({
      'cicd.pipeline.result': 'cancellation',
    });
    expect(spanNamed(trace, 'build').attributes).toMatchObject({
      'cicd.pipeline.task.run.result': 'cancellation',
    });
  });

  test('of steps that a function stands for lie within its own', () => {
    const trace = traceOf(
      workflow({ build: job([{ uses: 'junit/execute@v1' }]) }),
      at(1, offer('build')),
      at(2, answer('build', [{ id: 'inner', run: 'mvn test' }])),
      at(4, result('build')),
      at(5, released('build')),
    );
    expect(tree(trace)).toEqual([
      'demo 0-5',
      '  build 0-5',
      '    environment 0-1',
      '    junit/execute@v1 1-4',
      '      mvn test 2-4',
    ]);
  });

  test('of jobs in a bundle lie within that of the bundle', () => {
    const trace = traceOf(
      workflow({ all: bundle({ one: job(['make']) }) }),
      at(1, offer('all/one')),
      at(2, result('all/one')),
      at(3, released('all/one')),
    );
    expect(tree(trace)).toEqual([
      'demo 0-3',
      '  all 0-3',
      '    one 0-3',
      '      environment 0-1',
      '      make 1-2',
    ]);
  });

  test('are those of jobs that asked for an environment: one that was skipped took no time', () => {
    const jobs = { one: job(['make']), two: job(['never'], { if: 'false' }) };
    const trace = traceOf(workflow(jobs), offer('one'), result('one'), released('one'));
    expect(tree(trace).filter((line) => line.includes('two'))).toEqual([]);
  });

  test('end with what is known, while the run goes on', () => {
    const trace = traceOf(workflow({ build: job(['make']) }), at(1, offer('build')));
    expect(tree(trace)).toEqual(['demo 0-1', '  build 0-1', '    environment 0-1', '    make 1-1']);
  });
});

describe('the trace', () => {
  const whole = [
    workflow({ a: job(['x', 'y']), b: job(['z']) }),
    offer('a'),
    result('a'),
    offer('b', 'channel-2'),
    result('a', 1),
    result('b'),
    released('a'),
    released('b'),
  ];

  test('is the same whenever it is made, with ids that are all different', () => {
    const trace = traceOf(...whole);
    expect(traceOf(...whole)).toEqual(trace);
    const ids = trace.spans.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^(?!0{16})[0-9a-f]{16}$/.test(id))).toEqual([]);
  });

  test('continues that of the request that started the run', () => {
    const metadata = { 'tutti.traceparent': TRACEPARENT };
    const trace = traceOf(workflow({ a: job(['x']) }, { metadata }));
    expect(trace).toMatchObject({ id: '0af7651916cd43dd8448eb211c80319c', isSampled: true });
    expect(trace.spans[0]?.parentId).toBe('b7ad6b7169203331');
  });

  test('is not wanted where the sender of the request wants none', () => {
    const metadata = { 'tutti.traceparent': TRACEPARENT.replace(/01$/, '00') };
    expect(traceOf(workflow({ a: job(['x']) }, { metadata })).isSampled).toBe(false);
  });

  test('has the id of the workflow otherwise', () => {
    const id = '01890a5d-ac96-774b-bcce-b302099a8057';
    const metadata = { workflow_id: id, 'tutti.traceparent': 'nonsense' };
    const [event] = given(workflow({ a: job(['x']) }, { metadata })).log;
    const trace = traceOfRun(event === undefined ? [] : [event]);
    expect(trace?.id).toBe('01890a5dac96774bbcceb302099a8057');
    expect(trace?.spans[0]?.parentId).toBeNull();
  });

  test('is none without the beginning of a run', () => {
    expect(traceOfRun([])).toBeNull();
    expect(traceOfRun(given(...whole).log.slice(1))).toBeNull();
  });

  test('passes over events that it does not know, and those without what they should have', () => {
    const [begin, ...rest] = given(...whole).log;
    const strange = { kind: 'Own', metadata: begin?.metadata } as LoggedEvent;
    const fold = new TraceFold();
    for (const event of [begin, strange, ...rest]) if (event !== undefined) fold.add(event);
    expect(fold.trace()).toEqual(traceOf(...whole));
  });

  // Bound: Spans of a trace; texts in it.
  test('has no more spans than its limit, and tells how many are missing', () => {
    const [begin] = given(workflow({ a: job(['x']) })).log;
    const request = given(workflow({ a: job(['x']) })).log[1];
    if (begin === undefined || request?.kind !== 'ExecutionCommand') throw new Error('No request.');
    const fold = new TraceFold();
    fold.add(begin);
    // Each job has a span, and one for its wait.
    for (let index = 0; index < TRACE_SPANS_MAX / 2 + 5; index += 1) {
      const metadata = { ...request.metadata, job_id: `job-${index}` };
      fold.add({ ...request, metadata } as LoggedEvent);
    }
    const trace = fold.trace();
    expect(trace?.spans).toHaveLength(TRACE_SPANS_MAX);
    expect(trace?.dropped).toBe(11);
  });

  test('names spans in one line of bounded length', () => {
    const steps = [`\n${'x'.repeat(1_000)}\nmore`];
    const trace = traceOf(workflow({ a: job(steps) }), offer('a'));
    const name = trace.spans.at(-1)?.name ?? '';
    expect(name).toBe(`${'x'.repeat(200)}…`);
  });

  test('has attributes and errors of bounded length, as collectors take requests of a bounded size', () => {
    const long = 'x'.repeat(10_000);
    const metadata = { name: long, namespace: long };
    const jobs = { a: job(['make'], { 'runs-on': [long, 'linux'] }) };
    const [begin, request, ...rest] = given(workflow(jobs, { metadata }), at(4, cancel())).log;
    const details = { status: 'failure', reason: long };
    const trace = traceOfRun(
      [begin, request, ...rest].flatMap((event) =>
        event === undefined
          ? []
          : [
              {
                ...event,
                ...(event.kind === 'WorkflowCanceled' ? { details } : {}),
              } as LoggedEvent,
            ],
      ),
    );
    const texts = (trace?.spans ?? []).flatMap(({ attributes, error }) => [
      ...Object.values(attributes),
      error ?? '',
    ]);
    const lengths = texts.map((text) => String(text).length);
    expect(Math.max(...lengths)).toBe(501);
    expect(texts.filter((text) => text === `${'x'.repeat(500)}…`)).toHaveLength(4);
  });
});
