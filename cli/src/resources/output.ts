/** Output formats of lists, the same for all commands (client facts 2.6). */
import { Option } from 'commander';
import { UsageError } from '../terminal/problem.ts';
import { type ValuePath, valuePath } from './value-path.ts';

export type Output =
  | { readonly kind: 'table' | 'wide' | 'json' | 'yaml' | 'name' }
  | { readonly kind: 'custom-columns'; readonly columns: readonly PathColumn[] };

/** A column that shows the value at a path. */
export interface PathColumn {
  readonly title: string;
  readonly path: ValuePath;
}

const KINDS = ['table', 'wide', 'json', 'yaml', 'name'] as const;
const CUSTOM = 'custom-columns=';

/** `-o, --output`; the value stays text that `readOutput` has seen. */
export function resourceOutputOption(): Option {
  return new Option(
    '-o, --output <format>',
    'table, wide: for people; json, yaml: for programs; name: the ids alone; custom-columns=TITLE:path,...: a table of your own',
  )
    .argParser((text: string) => {
      readOutput(text);
      return text;
    })
    .default('table');
}

/** True for formats with titles. Their output is empty if there are no rows. */
export const isTable = ({ kind }: Output): boolean =>
  kind === 'table' || kind === 'wide' || kind === 'custom-columns';

/** Reads the name of a format. `others` are formats beyond the common ones. Throws `UsageError` for an unknown one. */
export function readOutput(text: string, others: readonly string[] = []): Output {
  if (text.startsWith(CUSTOM)) {
    return {
      kind: 'custom-columns',
      columns: text.slice(CUSTOM.length).split(',').map(pathColumn),
    };
  }
  const kind = KINDS.find((each) => each === text);
  if (kind !== undefined) return { kind };
  throw new UsageError(
    `-o takes ${[...KINDS, ...others].join(', ')} and custom-columns=TITLE:path,..., not "${text}".`,
    CUSTOM_HINT,
  );
}

const CUSTOM_HINT =
  'for columns of your own, write for instance: -o custom-columns=ID:metadata.workflow_id,NAME:metadata.name';

function pathColumn(text: string): PathColumn {
  const colon = text.indexOf(':');
  const path = valuePath(text.slice(colon + 1));
  if (colon > 0 && path !== null) return { title: text.slice(0, colon), path };
  throw new UsageError(`Not a column: "${text}". It is a title, a colon and a path.`, CUSTOM_HINT);
}
