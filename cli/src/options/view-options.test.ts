import { expect, test } from 'vitest';
import { configParts, contextNamed } from '../client-config/client-context.ts';
import { WHOLE_DISPLAY } from '../run-view/display.ts';
import type { Progress } from '../run-view/progress-kinds.ts';
import type { Io } from '../terminal/io.ts';
import { createPaint } from '../terminal/style.ts';
import { displayOf } from './display-options.ts';
import { progressOf, withViewDefaults } from './view-options.ts';

const screenOf = (isTerminal: boolean) => ({
  write: () => {},
  isTerminal,
  hasColors: false,
  paint: createPaint(false),
  columns: () => 80,
});

const terminal = screenOf(true);
const pipe = screenOf(false);

test.each<[string, string | undefined, object, typeof pipe, string]>([
  ['a terminal', undefined, {}, terminal, 'tree'],
  ['a pipe', undefined, {}, pipe, 'plain'],
  ['a pipe of a build', undefined, { CI: 'true' }, pipe, 'plain'],
  ['a terminal of a build', undefined, { CI: '1' }, terminal, 'plain'],
  ['a terminal of no build', undefined, { CI: 'false' }, terminal, 'tree'],
  ['GitHub Actions', undefined, { CI: 'true', GITHUB_ACTIONS: 'true' }, pipe, 'github'],
  ['GitLab CI', undefined, { GITLAB_CI: 'true' }, pipe, 'gitlab'],
  ['a terminal of GitLab CI', undefined, { GITLAB_CI: 'true' }, terminal, 'gitlab'],
  ['Azure Pipelines', undefined, { TF_BUILD: 'True' }, pipe, 'azure'],
  ['who wants one line', 'line', {}, terminal, 'line'],
  ['who wants one line in a pipe', 'line', {}, pipe, 'plain'],
  ['who wants a tree in a pipe', 'tree', {}, pipe, 'plain'],
  ['who wants a tree on a terminal of a build', 'tree', { CI: 'true' }, terminal, 'tree'],
  ['who wants no marks', 'plain', { GITHUB_ACTIONS: 'true' }, pipe, 'plain'],
  ['who wants nothing', 'none', { GITHUB_ACTIONS: 'true' }, pipe, 'none'],
  ['who always wants it plain', undefined, { TUTTI_PROGRESS: 'plain' }, terminal, 'plain'],
  ['who wants it otherwise once', 'line', { TUTTI_PROGRESS: 'plain' }, terminal, 'line'],
  ['who set it to nothing', undefined, { TUTTI_PROGRESS: '' }, terminal, 'tree'],
])('%s gets its kind of progress', (_name, asked, env, screen, kind) => {
  // Commander lets no other texts through.
  const progress = asked as Parameters<typeof progressOf>[0]['progress'];
  expect(progressOf({ progress }, { env: { ...env }, screen })).toBe(kind);
});

test('a kind that there is not is refused', () => {
  const env = { TUTTI_PROGRESS: 'dots' };
  expect(() => progressOf({}, { env, screen: pipe })).toThrow(
    'TUTTI_PROGRESS is "dots", which is none of tree, line, plain, none.',
  );
});

test('the look of lines follows options, then the user of the context', () => {
  const context = contextOf({
    ...{ 'job-depth': 1, 'step-depth': '2', 'max-command-length': 15, 'output-prefix': '{time} ' },
    ...{ verbose: 'yes', 'show-notifications': true, colors: 'out=32' },
  });
  const ofUser = {
    ...{ jobDepth: 1, stepDepth: 2, commandLength: 15, prefix: '{time} ' },
    lineColors: { output: '32' },
    ...{ isVerbose: true, showsServices: true, showsFiles: false },
  };
  expect(displayOf(withViewDefaults({}, context, {}))).toEqual(ofUser);
  const options = { jobDepth: 0, outputPrefix: '{job}', verbose: false, showAttachments: true };
  expect(displayOf(withViewDefaults(options, context, {}))).toEqual({
    ...{ ...ofUser, jobDepth: 0, prefix: '{job}', isVerbose: false, showsFiles: true },
  });
  expect(displayOf(withViewDefaults({}, null, {}))).toEqual(WHOLE_DISPLAY);
});

test('wrong values in a configuration are ignored, a wrong prefix is reported', () => {
  const odd = { 'job-depth': -1, 'step-depth': 'all', 'max-command-length': 1.5, verbose: 'loud' };
  expect(displayOf(withViewDefaults({}, contextOf(odd), {}))).toEqual(WHOLE_DISPLAY);
  expect(() => withViewDefaults({}, contextOf({ 'output-prefix': '{id}' }), {})).toThrow(
    'output-prefix of user "me" in FILE has {id}, which stands for nothing; known are {timestamp}, {time}, {job}, {job_id}.',
  );
});

/** A context with a user that has these entries. */
function contextOf(user: object) {
  const config = {
    contexts: [{ name: 'c', context: { orchestrator: 'o', user: 'me' } }],
    orchestrators: [{ name: 'o', orchestrator: { server: 'http://server' } }],
    users: [{ name: 'me', user }],
  };
  return contextNamed(configParts(config, 'FILE'), 'c');
}

test.each<[string, Progress | undefined, Io['env'], Progress | null, Progress | undefined]>([
  ['nothing else is said', undefined, {}, 'line', 'line'],
  ['an option says otherwise', 'none', {}, 'line', 'none'],
  ['the environment says otherwise', undefined, { TUTTI_PROGRESS: 'plain' }, 'line', undefined],
  ['the user wants nothing', undefined, {}, null, undefined],
])(
  'what a user of the configuration wants counts where %s',
  (_what, progress, env, usual, shown) => {
    const context = contextOf(usual === null ? {} : { progress: usual });
    expect(withViewDefaults({ progress }, context, env).progress).toBe(shown);
  },
);
