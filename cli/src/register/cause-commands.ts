/** Commands about causes of failures. */
import { type Command, Option } from 'commander';
import type { CausesOptions } from '../commands/causes.ts';
import type { ShowCauseOptions } from '../commands/show-cause.ts';
import { withConnection } from '../options/connection-options.ts';
import { readMoment } from '../options/moments.ts';
import { readCount } from '../options/option-values.ts';
import { resourceOutputOption } from '../resources/output.ts';
import type { Act } from './act.ts';

const LISTED = 100;

export function addCauseCommands(program: Command, act: Act): void {
  const causes = program
    .command('causes')
    .description('Show what made test cases fail, in one workflow or over all; alone, lists it.');
  addList(causes, act);
  addShow(causes, act);
}

function addList(causes: Command, act: Act): void {
  const list = causes
    .command('list', { isDefault: true })
    .description('List the causes of failures of a workflow, or of all workflows.');
  withConnection(list)
    .argument('[id]', 'id of a workflow, or the beginning of one; all workflows if absent')
    .option('--search <text>', 'causes with this text in their title, in either case')
    .option(
      '--project <project>',
      'causes of this project: the label "tutti/project" of workflows, else their name',
    )
    .option(
      '--namespace <namespace>',
      'causes of this namespace; of all that you may see if absent',
    )
    .option(
      '--since <time>',
      'causes of workflows that began since then, as in 7d or 2026-01-31T12:00',
      readMoment,
    )
    .addOption(new Option('--limit <count>', 'so many causes').argParser(readCount).default(LISTED))
    .addOption(resourceOutputOption())
    .addHelpText('after', LIST_HELP)
    .action(async (id: string | undefined, options: CausesOptions) => {
      const { listCauses } = await import('../commands/causes.ts');
      await act((io) => listCauses(id, options, io));
    });
}

const LIST_HELP = `
Failures that look alike have one cause. NEW_SINCE is the begin of the workflow since which it is known. A cause that nobody saw for
30 days is new again when it comes back.

Examples:
  tutti causes --since 7d
  tutti causes --search ECONNREFUSED -o wide
  tutti causes ID`;

function addShow(causes: Command, act: Act): void {
  withConnection(
    causes.command('show').description('Show a cause with the tests, versions and agents it hit.'),
  )
    .argument('<cause>', 'id of a cause, as "tutti causes" shows it')
    .addOption(
      new Option('-o, --output <format>', 'json, yaml: for programs')
        .choices(['table', 'json', 'yaml'])
        .default('table'),
    )
    .addHelpText('after', SHOW_HELP)
    .action(async (id: string, options: ShowCauseOptions) => {
      const { showCause } = await import('../commands/show-cause.ts');
      await act((io) => showCause(id, options, io));
    });
}

const SHOW_HELP = `
Examples:
  tutti causes show 3a0f7c52-9d1e-5b64-8c27-5e1f0b9d4a31`;
