// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
/** Hooks of workflows: refusals with their places, and hooks of the run. */
import { describe, expect, test } from 'vitest';
import { created, openReception, UUID, YAML } from './testing.ts';

const withHooks = (hooks: string): string => `${YAML}hooks:\n${hooks}`;
const setup = 'events: [{channel: setup}]';
const teardown = 'events: [{channel: teardown}]';
const checkout = 'events: [{categoryPrefix: actions, category: checkout, categoryVersion: v3}]';

test.each([
  ['on a function', `- {name: h, ${checkout}, before: [{run: x}], after: [{uses: a/b@v1}]}`],
  ['on all functions', '- {name: h, events: [{category: _}], after: [{run: x, if: always()}]}'],
  [
    'on both ends of a channel',
    '- {name: h, events: [{channel: setup}, {channel: teardown}], after: [{run: x}]}',
  ],
  [
    // Language 1.4: Steps of hooks may choose a workspace.
    'with a workspace',
    `- {name: h, ${setup}, if: runner.os == 'linux', before: [{use-workspace: /w, if: success(), name: n}]}`,
  ],
  [
    'that keeps it',
    `- {name: h, ${teardown}, before: [{keep-workspace: "\${{ failure() || true }}"}, {keep-workspace: false}]}`,
  ],
])('a hook %s is accepted', async (_, hook) => {
  const { yaml } = await openReception();
  expect(await yaml(withHooks(hook))).toEqual(created());
});

describe('refused', () => {
  test.each<[string, string, string]>([
    ['no list', 'name: h', 'hooks: must be a list, not an object (line 6)'],
    // Language 1.2: `hooks` has at least one entry.
    ['no hooks', '[]', 'hooks: must not be empty (line 6)'],
    // Language 1.10: A hook has a name, events, and steps before or after, at least one of each.
    ['no name', `- {${setup}, before: [{run: x}]}`, 'hooks[0]: "name" is missing (line 7)'],
    // Language 1.10: A hook has a name, events, and steps before or after, at least one of each.
    ['no events', '- {name: h, before: [{run: x}]}', 'hooks[0]: "events" is missing (line 7)'],
    [
      // Language 1.10: A hook has a name, events, and steps before or after, at least one of each.
      'an empty list of events',
      '- {name: h, events: [], before: [{run: x}]}',
      'hooks[0].events: must not be empty (line 7)',
    ],
    // Language 1.10: A hook has a name, events, and steps before or after, at least one of each.
    ['no steps', `- {name: h, ${setup}}`, 'hooks[0]: must have "before" or "after" (line 7)'],
    [
      // Language 1.10: A hook has a name, events, and steps before or after, at least one of each.
      'an unknown key',
      `- {name: h, ${setup}, before: [{run: x}], afters: []}`,
      'hooks[0]: unknown key "afters", did you mean "after"? (line 7)',
    ],
    [
      'a step that does nothing',
      `- {name: h, ${setup}, before: [{name: x}]}`,
      'hooks[0].before[0]: must have "run", "uses", "use-workspace" or "keep-workspace" (line 7)',
    ],
    [
      'a step that does two things',
      `- {name: h, ${setup}, before: [{run: x, use-workspace: w}]}`,
      'hooks[0].before[0]: must have only one of "run" and "use-workspace" (line 7)',
    ],
    [
      'a workspace at the end',
      `- {name: h, ${teardown}, before: [{use-workspace: w}]}`,
      'hooks[0].before[0]: Hook "h" has a step "use-workspace", which must be in "before" of "channel: setup". (line 7)',
    ],
    [
      // Language 1.4: Steps of hooks may choose a workspace.
      'a workspace too late',
      `- {name: h, ${setup}, after: [{use-workspace: w}]}`,
      'hooks[0].after[0]: Hook "h" has a step "use-workspace", which must be in "before" of "channel: setup". (line 7)',
    ],
    [
      'a workspace for a function',
      `- {name: h, ${checkout}, before: [{use-workspace: w}]}`,
      'hooks[0].before[0]: Hook "h" has a step "use-workspace", which must be in "before" of "channel: setup". (line 7)',
    ],
    [
      'keeping at the begin',
      `- {name: h, ${setup}, before: [{keep-workspace: true}]}`,
      'hooks[0].before[0]: Hook "h" has a step "keep-workspace", which must be in "before" of "channel: teardown". (line 7)',
    ],
    [
      'keeping what is gone',
      `- {name: h, ${teardown}, after: [{keep-workspace: true}]}`,
      'hooks[0].after[0]: Hook "h" has a step "keep-workspace", which must be in "before" of "channel: teardown". (line 7)',
    ],
    [
      'a workspace with a shell',
      `- {name: h, ${setup}, before: [{use-workspace: w, shell: bash}]}`,
      'hooks[0].before[0]: Hook "h" has a step "use-workspace" with "shell", which it cannot have. (line 7)',
    ],
    [
      'a text that is not true or false',
      `- {name: h, ${teardown}, before: [{keep-workspace: often}]}`,
      'hooks[0].before[0].keep-workspace: must be true or false or an expression, not "often" (line 7)',
    ],
    [
      'a bad condition',
      `- {name: h, ${setup}, if: "((", before: [{run: x}]}`,
      'hooks[0].if: Invalid expression "((": ',
    ],
    [
      'a bad condition of a step',
      `- {name: h, ${setup}, before: [{run: x, if: "(("}]}`,
      'hooks[0].before[0].if: Invalid expression "((": ',
    ],
    [
      'a bad expression',
      `- {name: h, ${setup}, after: [{run: "\${{ a b }}"}]}`,
      'hooks[0].after[0].run: Invalid expression ',
    ],
    [
      'too many steps',
      `- {name: h, ${setup}, after: [${Array(33).fill('{run: x}')}]}`,
      'hooks[0].after: must have at most 32 entries (line 7)',
    ],
  ])('%s', async (_, hook, problem) => {
    const { yaml, published } = await openReception();
    const answer = await yaml(withHooks(hook.startsWith('-') ? hook : `  ${hook}`));
    expect(answer).toMatchObject({ code: 422, reason: 'Invalid' });
    expect(answer.details.error.slice(0, problem.length)).toBe(problem);
    expect(published).toEqual([]);
  });
});

describe('taken with a warning', () => {
  test.each([
    [
      // Language 1.10: Events of functions: category, prefix and version, `_` for any; one of the first two is required.
      'an event of nothing',
      '- {name: h, events: [{categoryVersion: v1}], before: [{run: x}]}',
      'hooks[0].events[0]: Hook "h" has an event without "channel", "category" or "categoryPrefix", which nothing fits. (line 7)',
    ],
    [
      'another time of a channel',
      '- {name: h, events: [{channel: setpu}], before: [{run: x}]}',
      'hooks[0].events[0].channel: Hook "h" has the channel "setpu", which is neither "setup" nor "teardown". Did you mean "setup"? (line 7)',
    ],
    [
      'a category that no function can have',
      `- {name: h, events: [{category: a}, {category: a b/c, categoryPrefix: _}], before: [{run: x}]}`,
      'hooks[0].events[1].category: Hook "h" has the category "a b/c", which no function has: the prefix, the name and the version have a key each. (line 7)',
    ],
    [
      'a version with its sign',
      `- {name: h, events: [{category: a, categoryVersion: "@v1"}], before: [{run: x}]}`,
      'hooks[0].events[0].categoryVersion: Hook "h" has the categoryVersion "@v1", which no function has: the prefix, the name and the version have a key each. (line 7)',
    ],
    [
      'two steps with one id',
      `- {name: h, ${setup}, before: [{id: s, run: x}], after: [{id: s, run: y}]}`,
      'hooks[0].after[0].id: Hook "h" has several steps with the id "s". (line 7)',
    ],
    [
      'an unknown key of an event',
      `- {name: h, events: [{channel: setup, catgory: c}], before: [{run: x}]}`,
      'hooks[0].events[0]: unknown key "catgory", did you mean "category"? (line 7)',
    ],
    [
      'an unknown key of a step',
      `- {name: h, ${setup}, after: [{run: x, retries: 3}]}`,
      'hooks[0].after[0]: unknown key "retries" (line 7)',
    ],
  ])('%s', async (_, hook, warning) => {
    const { yaml } = await openReception();
    const { code, details } = await yaml(withHooks(hook));
    expect({ code, warnings: details.warnings }).toEqual({ code: 201, warnings: [warning] });
  });
});

test.each([
  `- {name: h, events: [{channel: setup}, {category: _}], before: [{run: x}, {use-workspace: w}]}`,
  `- {name: h, events: [{channel: teardown, category: _}], before: [{keep-workspace: true}]}`,
])('events of channels and of functions may stand in one hook: %s', async (hook) => {
  const { yaml } = await openReception();
  expect(await yaml(withHooks(hook))).toEqual(created());
});

test('an input of a function that is called "if" is no condition in a hook either', async () => {
  const { yaml } = await openReception();
  const hook = `- {name: h, ${setup}, before: [{uses: a/b, with: {if: "(("}}]}`;
  expect(await yaml(withHooks(hook))).toEqual(created());
});

test('steps of hooks get ids, those of the author stay', async () => {
  const { yaml, published } = await openReception();
  const hook = `- {name: h, ${setup}, before: [{run: x}, {id: own, run: y}], after: [{run: z}]}`;
  await yaml(withHooks(hook));
  expect(published[0]?.hooks).toEqual([
    {
      name: 'h',
      events: [{ channel: 'setup' }],
      before: [
        { id: expect.stringMatching(UUID), run: 'x' },
        { id: 'own', run: 'y' },
      ],
      after: [{ id: expect.stringMatching(UUID), run: 'z' }],
    },
  ]);
});
