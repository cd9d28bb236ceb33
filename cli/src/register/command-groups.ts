/** Groups of the commands in the help, by what people want to do. */
import { Command } from 'commander';

/** The groups of commands and their commands, in the order of the help. */
export const COMMAND_GROUPS: ReadonlyMap<string, readonly string[]> = new Map([
  ['Write and run workflows:', ['init', 'schema', 'validate', 'plan', 'run']],
  [
    'Follow and stop runs:',
    ['status', 'workflows', 'jobs', 'logs', 'ui', 'cancel', 'tags', 'workers'],
  ],
  ['Read test results:', ['testcases', 'tests', 'causes', 'report', 'gate', 'attachments']],
  ['Use agents, environments and functions:', ['agent', 'agents', 'channels', 'providers']],
  ['Run a server:', ['server', 'tokens', 'ready', 'done', 'backup', 'restore', 'store', 'doctor']],
  ['Pass events on:', ['subscriptions', 'publish']],
  [
    'Set up this command:',
    ['config', 'import-config', 'namespaces', 'completion', 'docs', 'version', 'help'],
  ],
]);

export function groupCommands(program: Command): void {
  const help = new Command('help').argument('[command]').description('Show help for a command.');
  program.addHelpCommand(help);
  for (const [group, names] of COMMAND_GROUPS) {
    for (const command of [...program.commands, help]) {
      if (names.includes(command.name())) command.helpGroup(group);
    }
  }
}

const GROUPS = [...COMMAND_GROUPS.keys()];

/** Order of the groups of commands; options keep theirs. */
export function groupOrder(names: Iterable<string>): readonly string[] {
  return [...names].toSorted((a, b) => GROUPS.indexOf(a) - GROUPS.indexOf(b));
}

/** Commands in the order of their group. */
export function inGroupOrder<Item>(group: string, items: Item[]): Item[] {
  const names = COMMAND_GROUPS.get(group);
  if (names === undefined) return items;
  const placeOf = (item: Item) => (item instanceof Command ? names.indexOf(item.name()) : 0);
  return items.toSorted((a, b) => placeOf(a) - placeOf(b));
}
