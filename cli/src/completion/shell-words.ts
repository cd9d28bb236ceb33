/** What the scripts of all shells have in common: the table as `case` branches. */
import type { CompletedCommand, ValueKind } from './completion-table.ts';

/** `agents list`; empty for the program itself. */
export const pathText = ({ path }: CompletedCommand): string => path.join(' ');

/** In single quotes, for bash and zsh. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** What the script does for a value: a word for the kind, and its argument. */
export function valueCall(value: ValueKind): string {
  switch (value.kind) {
    case 'words':
      return `words ${value.words.join(' ')}`;
    case 'live':
      return `live ${value.of}`;
    default:
      return value.kind;
  }
}

/** The commands below this one. */
export const below = (
  table: readonly CompletedCommand[],
  { path }: CompletedCommand,
): readonly CompletedCommand[] =>
  table.filter(
    (each) =>
      each.path.length === path.length + 1 &&
      path.every((word, index) => each.path[index] === word),
  );

/** `pattern) action ;;` lines. */
export const branches = (rows: readonly (readonly [pattern: string, action: string])[]): string =>
  rows.map(([pattern, action]) => `    ${pattern}) ${action} ;;\n`).join('');

/** How words lead from command to command: `<path> <word>` to the path of the command, aliases included. */
export function steps(
  table: readonly CompletedCommand[],
): readonly (readonly [from: string, to: string])[] {
  return table
    .filter(({ path }) => path.length > 0)
    .flatMap((command) => {
      const above = command.path.slice(0, -1);
      const names = [command.path.at(-1) ?? '', ...command.aliases];
      return names.map((name) => [[...above, name].join(' '), pathText(command)] as const);
    });
}

/** The values that options take: `<path> <flag>` to what is done. */
export const optionRows = (table: readonly CompletedCommand[]) =>
  table.flatMap((command) =>
    command.options.flatMap(({ flags, value }) =>
      value === null
        ? []
        : [
            [
              flags.map((flag) => quoted(`${pathText(command)} ${flag}`)).join(' | '),
              `REPLY=${quoted(valueCall(value))}`,
            ] as const,
          ],
    ),
  );

/** The same for arguments: `<path> <number>`; the last one may come again. */
export const argumentRows = (table: readonly CompletedCommand[]) =>
  table.flatMap((command) =>
    command.arguments.map((value, index) => {
      const isLast = index === command.arguments.length - 1;
      const pattern = `${quoted(`${pathText(command)} `)}${isLast ? '[0-9]*' : index}`;
      return [pattern, `REPLY=${quoted(valueCall(value))}`] as const;
    }),
  );
