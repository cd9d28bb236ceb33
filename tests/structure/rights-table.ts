/** The table of rights in docs/operate/access.md, made of what the server declares. */
import { RESOURCES, VERBS } from '../../server/src/auth/access.ts';
import { RIGHTS } from './rights.ts';

export interface RightRow {
  readonly right: string;
  readonly resource: string;
  readonly words: string;
}

/** `verb resource`, in the order of the table. */
export const rightRows: readonly RightRow[] = RESOURCES.flatMap((resource) => {
  const words: Readonly<Partial<Record<(typeof VERBS)[number], string>>> = RIGHTS[resource];
  return VERBS.flatMap((verb) => {
    const text = words[verb];
    return text === undefined ? [] : [{ right: `${verb} ${resource}`, resource, words: text }];
  });
});

/** `endpoints`: those that ask for a right, by its name. */
export function rightsTable(endpoints: ReadonlyMap<string, readonly string[]>): string {
  const rows = rightRows.map(({ right, words }) => {
    const [verb, resource] = right.split(' ');
    const paths = (endpoints.get(right) ?? []).map((endpoint) => `\`${endpoint}\``).join('<br>');
    return `| \`${resource}\` | \`${verb}\` | ${words} | ${paths} |`;
  });
  return [
    '| Resource | Verb | What it allows | Endpoints that need it |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
}
