/** A list of tests as a command, for the terminal. */
import type { TestSearch } from '../../data/tests.ts';
import { quoted } from '../runs/command.ts';

export function testsCommand({ state, q, project, namespace, sort }: TestSearch): string {
  const options = Object.entries({ state, search: q, project, namespace, sort });
  return [
    'tutti tests',
    ...options.flatMap(([name, value]) =>
      value === undefined ? [] : [`--${name}=${quoted(value)}`],
    ),
  ].join(' ');
}
