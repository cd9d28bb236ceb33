// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Names come from strangers: names that objects of JavaScript have themselves are names like any other. */
import type { RunEvent } from '@tutti/manifests';
import { describe, expect, test } from 'vitest';
import { given } from './testing/given.ts';
import { answer, bundle, job, offer, released, result, workflow } from './testing/inputs.ts';

const ODD = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];

/** An entry of this name, whatever the name is. */
const named = <T>(name: string, value: T): Record<string, T> => Object.fromEntries([[name, value]]);

const scriptsIn = (log: readonly RunEvent[]): readonly string[] =>
  log.findLast((event) => event.kind === 'ExecutionCommand')?.scripts ?? [];

const endedIn = (events: readonly RunEvent[]): RunEvent | undefined =>
  events.findLast(({ kind }) => kind === 'WorkflowCompleted');

describe.each(ODD)('%s is a good name for', (name) => {
  test('variables of every level', () => {
    const value = (level: string) => named(name, `${level} \${{ variables.${name} }}`);
    const step = { id: 's', run: `x \${{ variables.${name} }}`, variables: value('step') };
    const jobs = { a: job([step], { variables: value('job') }) };
    const { log } = given(workflow(jobs, { variables: named(name, 'workflow') }), offer('a'));
    const command = log.findLast((event) => event.kind === 'ExecutionCommand');
    expect(command?.scripts).toEqual(['x step job workflow']);
    expect(Object.entries(command?.variables ?? {})).toEqual([[name, 'step job workflow']]);
  });

  test('variables that a step leaves for later ones', () => {
    const { log } = given(
      workflow({ a: job(['x', `y \${{ variables.${name} }}`]) }),
      offer('a'),
      result('a', 0, { variables: named(name, 'left') }),
    );
    expect(scriptsIn(log)).toEqual(['y left']);
  });

  test('variables and outputs of a function', () => {
    const step = { id: 'f', uses: 'a/b@v1', variables: named(name, 'around') };
    const { log } = given(
      workflow({ a: job([step, `y \${{ steps.f.outputs.${name} }}`]) }),
      offer('a'),
      answer('a', [{ id: 'i', run: `x \${{ variables.${name} }}` }], {
        outputs: named(name, `\${{ steps.i.outputs.${name} }}`),
      }),
      result('a', 0, { outputs: named(name, 'given') }),
    );
    expect(scriptsIn(log)).toEqual(['y given']);
    const inner = log.find((e) => e.kind === 'ExecutionCommand' && e.scripts[0] === 'x around');
    expect(inner).toHaveProperty('variables');
  });

  test('the id of a step and its outputs', () => {
    const { log } = given(
      workflow({ a: job([{ id: name, run: 'x' }, `y \${{ steps.${name}.outputs.${name} }}`]) }),
      offer('a'),
      result('a', 0, { outputs: named(name, 'given') }),
    );
    expect(scriptsIn(log)).toEqual(['y given']);
  });

  test('a job that others need, and its outputs', () => {
    const first = job([{ id: 's', run: 'x' }], {
      outputs: named(name, `\${{ steps.s.outputs.${name} }}`),
    });
    const script = `\${{ needs.${name}.result }} \${{ needs.${name}.outputs.${name} }}`;
    const { log } = given(
      workflow({ ...named(name, first), b: job([script], { needs: name }) }),
      offer(name),
      result(name, 0, { outputs: named(name, 'given') }),
      released(name),
      offer('b'),
    );
    expect(scriptsIn(log)).toEqual(['success given']);
  });

  test('jobs in jobs, and outputs of the workflow', () => {
    const inner = job([{ id: 's', run: 'x' }], {
      outputs: named(name, `\${{ steps.s.outputs.${name} }}`),
    });
    const outer = bundle(named(name, inner), {
      outputs: named(name, `\${{ jobs.${name}.outputs.${name} }}`),
    });
    const key = `${name}/${name}`;
    const { events } = given(
      workflow(named(name, outer), {
        outputs: named(name, `\${{ jobs.${name}.outputs.${name} }}`),
      }),
      offer(key),
      result(key, 0, { outputs: named(name, 'given') }),
    ).when(released(key));
    expect(JSON.stringify(endedIn(events))).toContain(`${JSON.stringify(name)}:"given"`);
  });

  test('axes of a matrix, and outputs of its jobs', () => {
    const cells = job([{ id: 's', run: `x \${{ matrix.${name} }}` }], {
      strategy: { matrix: named(name, ['left']) },
      outputs: named(name, `\${{ steps.s.outputs.${name} }}`),
    });
    const after = job([`y \${{ needs.m.outputs.${name} }}`], { needs: 'm' });
    const { log } = given(
      workflow({ m: cells, b: after }),
      offer('m/m-left'),
      result('m/m-left', 0, { outputs: named(name, 'given') }),
      released('m/m-left'),
      offer('b'),
    );
    expect(log.flatMap((e) => (e.kind === 'ExecutionCommand' ? e.scripts : []))).toContain(
      'x left',
    );
    expect(scriptsIn(log)).toEqual(['y given']);
  });

  test('a repository, and a variable in its address', () => {
    const endpoint = `https://\${{ variables.${name} }}/r`;
    const repositories = [{ name, type: 'git', repository: 'r', endpoint }];
    const begin = workflow(
      { a: job([`x \${{ resources.repositories.${name}.endpoint }}`]) },
      { variables: named(name, 'host'), resources: { repositories } },
    );
    expect(scriptsIn(given(begin, offer('a')).log)).toEqual(['x https://host/r']);
  });

  test('inputs and files of a run', () => {
    const annotations = { 'tutti.inputs': named(name, 'given') };
    const script = `\${{ inputs.${name} }} \${{ resources.files.${name} }}`;
    const { log } = given(
      workflow({ a: job([script]) }, { metadata: { annotations }, resources: { files: [name] } }),
      offer('a'),
    );
    expect(scriptsIn(log)).toEqual([`given ${name}`]);
  });
});
