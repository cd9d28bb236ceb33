/** The fields that sections name, so that accepting a definition reports a wrong one. */
import type { SectionDefinition } from '@tutti/manifests';
import { readField, textOf } from './field.ts';
import { NAME_KEYS, VALUE_KEYS } from './order-keys.ts';
import { columnsOf } from './table-columns.ts';

/** Every field that a section names, with its place. */
export function fieldsOf(
  section: SectionDefinition,
): readonly { readonly path: readonly string[]; readonly text: string }[] {
  const { groupBy, data, primaryAxis, secondaryAxis, orderBy } = section;
  const columns = Object.entries(section.columns ?? {}).map(([title, text]) => {
    return { path: ['columns', title], text };
  });
  const others = [
    { path: ['groupBy'], value: groupBy },
    { path: ['data'], value: data },
    { path: ['primaryAxis', 'data'], value: primaryAxis?.data },
    { path: ['secondaryAxis', 'data'], value: secondaryAxis?.data },
    { path: ['orderBy', 'key'], value: isWord(section, orderBy?.key) ? undefined : orderBy?.key },
  ];
  const named = others.flatMap(({ path, value }) => {
    return value === undefined ? [] : [{ path, text: textOf(value) }];
  });
  return [...columns, ...named];
}

/** Tables are ordered by titles of columns as well, other sections by words for their values and names. */
function isWord(section: SectionDefinition, key = ''): boolean {
  if (section.kind === 'Table') return Object.hasOwn(columnsOf(section), key);
  return VALUE_KEYS.has(key) || NAME_KEYS.has(key);
}

/** Checks a field. Throws `Invalid` for a malformed one. */
export const checkField = (text: string): void => void readField(text);
