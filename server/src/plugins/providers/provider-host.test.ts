import {
  type ExecutionErrorEvent,
  formatTimestamp,
  type Hook,
  isUuid,
  type JobId,
  type ProviderCommandEvent,
  type ProviderResultEvent,
  type RunEvent,
  type StepId,
  type WorkflowId,
} from '@tutti/manifests';
import { defineProvider } from '@tutti/sdk';
import { describe, expect, test } from 'vitest';
import type { EventBus } from '../../bus/bus.ts';
import { answersGivenUp } from '../../bus/testing.ts';
import { createProviderCatalog } from './provider-catalog.ts';
import { hostProviders } from './provider-host.ts';

const provider = defineProvider({
  name: 'test',
  functions: [
    {
      prefix: 'test',
      category: 'echo',
      version: 'v1',
      inputs: { text: { description: 'The text.', type: 'string', required: true } },
      steps: ({ text }, { os }) => [{ run: `echo ${text} ${os}` }, { id: 'own', run: 'true' }],
    },
    {
      prefix: 'test',
      category: 'giving',
      version: null,
      inputs: {},
      // biome-ignore lint/suspicious/noTemplateCurlyInString: expressions are written so.
      outputs: { o: '${{ steps.s.outputs.o }}' },
      steps: () => [{ id: 's', run: 'true' }],
    },
    {
      prefix: 'test',
      category: 'broken',
      version: null,
      inputs: {},
      steps: () => {
        throw new TypeError('x is not a function');
      },
    },
  ],
});

function commandEvent(
  step: Partial<ProviderCommandEvent['step']>,
  os?: string,
): ProviderCommandEvent {
  return {
    apiVersion: 'opentestfactory.org/v1beta1',
    kind: 'ProviderCommand',
    metadata: {
      name: 'test/echo',
      workflow_id: 'w' as WorkflowId,
      namespace: 'shop',
      creationTimestamp: formatTimestamp(0),
      job_id: 'j' as JobId,
      job_origin: [],
      step_id: 's' as StepId,
      step_origin: [],
      labels: { 'opentestfactory.org/category': 'echo' },
    },
    'runs-on': ['linux'],
    contexts: os === undefined ? {} : { runner: { os } },
    step: { uses: 'test/echo@v1', id: 's', ...step },
  };
}

const clock = { now: () => 1000, timestamp: () => formatTimestamp(1000), monotonicMs: () => 1000 };

/** Events that the host publishes when it hears a command. */
async function answersTo(
  command: ProviderCommandEvent,
  isAnsweredElsewhere = false,
  hooks: readonly Hook[] = [],
  labelsElsewhere: readonly Readonly<Record<string, string>>[] = [],
): Promise<readonly RunEvent[]> {
  const published: RunEvent[] = [];
  let hear: ((event: RunEvent) => Promise<void>) | null = null;
  const bus: Pick<EventBus, 'publish' | 'subscribeDurably'> = {
    publish: async (event) => {
      published.push(event);
      return { outcome: 'accepted' };
    },
    subscribeDurably: (_name, _kind, { handle: handler }) => {
      hear = (event) =>
        handler(event as Parameters<typeof handler>[0], new AbortController().signal);
    },
  };
  hostProviders({
    bus,
    clock,
    apiGroup: 'opentestfactory.org',
    catalog: createProviderCatalog({ code: [provider] }),
    hooksOf: async (prefix) => (prefix === 'test' ? hooks : []),
    isAnsweredElsewhere: () => isAnsweredElsewhere,
    labelsElsewhere: () => labelsElsewhere,
  });
  await (hear as ((event: RunEvent) => Promise<void>) | null)?.(command);
  return published;
}

async function errorOf(step: Partial<ProviderCommandEvent['step']>): Promise<string> {
  const [answer] = await answersTo(commandEvent(step));
  return (answer as ExecutionErrorEvent).details.error;
}

describe('a provider command', () => {
  test('that fails in the server is an error of the run', async () => {
    const answers = await answersGivenUp(commandEvent({}), (bus) =>
      hostProviders({
        bus,
        clock,
        apiGroup: 'opentestfactory.org',
        catalog: createProviderCatalog({ code: [provider] }),
        hooksOf: async () => [],
        isAnsweredElsewhere: () => false,
        labelsElsewhere: () => [],
      }),
    );
    expect(answers).toMatchObject([
      {
        kind: 'ExecutionError',
        metadata: { step_id: expect.anything() },
        details: {
          error: `The function "test/echo@v1" failed: internal error, see the server's log.`,
        },
      },
    ]);
  });

  test('is answered with the hooks of its provider, if it has any', async () => {
    const hook: Hook = { name: 'h', events: [{ category: '_' }], before: [{ run: 'x' }] };
    const command = commandEvent({ with: { text: 'hi' } });
    expect(await answersTo(command, false, [hook])).toMatchObject([{ hooks: [hook] }]);
    expect((await answersTo(command))[0]).not.toHaveProperty('hooks');
  });

  test('is answered with the outputs of the function, if it has any', async () => {
    const [answer] = await answersTo(commandEvent({ uses: 'test/giving' }));
    // biome-ignore lint/suspicious/noTemplateCurlyInString: expressions are written so.
    expect(answer).toMatchObject({ outputs: { o: '${{ steps.s.outputs.o }}' } });
  });

  test('is answered with steps under the metadata of the command', async () => {
    const command = commandEvent({ with: { text: 'hi' } });
    const answers = await answersTo(command);
    expect(answers).toEqual([
      {
        apiVersion: 'opentestfactory.org/v1beta1',
        kind: 'ProviderResult',
        metadata: { ...command.metadata, creationTimestamp: formatTimestamp(1000) },
        steps: [
          { id: expect.any(String), run: 'echo hi linux' },
          { id: 'own', run: 'true' },
        ],
      },
    ]);
    expect(isUuid((answers[0] as ProviderResultEvent).steps[0]?.id)).toBe(true);
  });

  test('that is handed over twice has the same answer', async () => {
    const command = commandEvent({ with: { text: 'hi' } });
    expect(await answersTo(command)).toEqual(await answersTo(command));
  });

  test.each([
    ['Windows', 'windows'],
    ['macos', 'macos'],
    ['linux', 'linux'],
    [undefined, 'linux'],
  ])('for an environment with %s gets scripts for %s', async (os, written) => {
    const [answer] = await answersTo(commandEvent({ with: { text: 'on' } }, os));
    expect((answer as ProviderResultEvent).steps[0]?.run).toBe(`echo on ${written}`);
  });

  test('with inputs that do not fit is an error', async () => {
    expect(await errorOf({})).toBe('Mandatory input "text" not provided.');
    expect(await errorOf({ with: { text: 'a', txet: 'b' } })).toBe(
      'Unexpected inputs "txet" found.  Allowed inputs: "text".',
    );
  });

  test('for a function that breaks is an error', async () => {
    expect(await errorOf({ uses: 'test/broken' })).toBe(
      'Unexpected execution error: x is not a function',
    );
  });

  test.each([
    ['test/ehco@v1', 'No provider has the function "test/ehco@v1", did you mean "test/echo@v1"?'],
    ['other/thing@v7', 'No provider has the function "other/thing@v7".'],
    ['not/a/name', 'No provider has the function "not/a/name".'],
  ])('for the unknown function %s is an error', async (uses, message) => {
    expect(await errorOf({ uses })).toBe(message);
  });

  test('for an unknown function is told one of a plugin elsewhere', async () => {
    const group = 'opentestfactory.org';
    const thing = {
      [`${group}/category`]: 'thing',
      [`${group}/categoryPrefix`]: 'vf2',
      [`${group}/categoryVersion`]: 'v1',
    };
    const command = commandEvent({ uses: 'vf2/thnig@v1' });
    expect(await answersTo(command, false, [], [{ other: 'label' }, thing])).toMatchObject([
      {
        details: {
          error: 'No provider has the function "vf2/thnig@v1", did you mean "vf2/thing@v1"?',
        },
      },
    ]);
  });

  test('for a function of a plugin elsewhere is left to that', async () => {
    expect(await answersTo(commandEvent({ uses: 'other/thing@v1' }), true)).toEqual([]);
  });

  test('for a function that a plugin elsewhere has as well is left to that', async () => {
    expect(await answersTo(commandEvent({}), true)).toEqual([]);
  });
});
