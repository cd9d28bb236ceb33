/** `--plugin gitlab:name=value`: publishes verdicts of quality gates elsewhere, as existing clients do (client facts 3.6). */
import { Option } from 'commander';
import { UsageError } from '../terminal/problem.ts';

/** Parameters by their names. */
export type GitlabParameters = Readonly<Record<string, string>>;

const NAMES = ['server', 'project', 'mr', 'issue', 'keep-history', 'token', 'label', 'cats'];
/** Advice for a wrong form. */
export const HOW_TO_WRITE = 'write it like --plugin gitlab:mr=12.';

/** Adds one parameter. Errors leave out the values, because one of them is the token. */
export function addPlugin(text: string, before: GitlabParameters = {}): GitlabParameters {
  const [, plugin, name, value] = /^([^:=]*):([^=]*)=(.*)$/s.exec(text) ?? [];
  if (plugin === undefined || name === undefined || value === undefined) {
    throw new UsageError('--plugin takes plugin:name=value.', HOW_TO_WRITE);
  }
  if (plugin !== 'gitlab') {
    throw new UsageError(
      `There is no plugin "${plugin}" for verdicts; there is "gitlab".`,
      HOW_TO_WRITE,
    );
  }
  if (!NAMES.includes(name)) {
    throw new UsageError(
      `The plugin gitlab has no parameter "${name}".`,
      `use one of these: ${NAMES.join(', ')}.`,
    );
  }
  if (Object.hasOwn(before, name) && before[name] !== value) {
    throw new UsageError(`--plugin gives gitlab:${name} twice.`, 'leave one of them out.');
  }
  return { ...before, [name]: value };
}

/** `condition` precedes the description, as in "with --gate: ". */
export const pluginOption = (condition = ''): Option =>
  new Option(
    '--plugin <gitlab:name=value>',
    `${condition}post the verdict to a merge request or an issue of GitLab; may be repeated, with ${NAMES.join(', ')}`,
  ).argParser(addPlugin);
