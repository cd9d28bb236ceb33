/** The test that a command is about: by its id, or by its name. */
import type { Client, JsonRecord } from '@tutti/client';
import { isUuid } from '@tutti/manifests';
import { textAt } from '../resources/value-path.ts';
import { UsageError } from '../terminal/problem.ts';
import { readPages } from './read-pages.ts';

export interface TestPlace {
  readonly project?: string | undefined;
  readonly namespace?: string | undefined;
}

/** Tests that are looked at for a name. */
const FOUND_MAX = 1000;
const SHOWN_MAX = 5;
const SEE = 'see which tests there are with "tutti tests -o wide".';

/** The id of a test by its id, its name, or a part of its name that no other has. Throws `UsageError` without one, and for several. */
export async function testIdOf(
  client: Client,
  text: string,
  { project, namespace }: TestPlace,
): Promise<string> {
  const isWhole: boolean = isUuid(text);
  if (isWhole) return text;
  // The server looks into suites and names one by one, and a name may have such a sign itself.
  const search = text.slice(text.indexOf('#') + 1);
  const query = { search, project, namespace, sort: 'name' };
  const { items } = await readPages(client, { path: '/tests', query }, FOUND_MAX);
  const named = items.filter((item) => nameOf(item) === text);
  const fitting = named.length > 0 ? named : items.filter((item) => nameOf(item).includes(text));
  const [only, ...others] = fitting;
  if (only === undefined) throw new UsageError(`No test is named "${text}".`, SEE);
  if (others.length === 0) return idOf(only);
  const shown = fitting.slice(0, SHOWN_MAX).map((item) => `${nameOf(item)} (${idOf(item)})`);
  const more = fitting.length > SHOWN_MAX ? ', …' : '';
  throw new UsageError(
    `${fitting.length} tests fit "${text}": ${shown.join(', ')}${more}.`,
    'write the id of the one that is meant, or choose with --project and --namespace.',
  );
}

const nameOf = (item: JsonRecord): string => textAt(item, ['metadata', 'name']);
const idOf = (item: JsonRecord): string => textAt(item, ['metadata', 'id']);
