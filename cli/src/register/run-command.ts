/** The command that starts a workflow. */
import type { Command } from 'commander';
import type { RunOptions } from '../commands/run.ts';
import { withConnection } from '../options/connection-options.ts';
import { addEndOptions } from '../options/end-options.ts';
import { addGiven } from '../options/given-lines.ts';
import { withLocalOptions } from '../options/local-options.ts';
import { addFile, addNames } from '../options/option-values.ts';
import { addViewOptions } from '../options/view-options.ts';
import type { Act } from './act.ts';

export function withValues(command: Command): Command {
  return command
    .option(
      '-e, --env <name=value>',
      'variable, or the name of a file with one on each line; may be repeated',
      addGiven('-e'),
    )
    .option(
      '-i, --input <name=value>',
      'input, or the name of a file with one on each line; may be repeated',
      addGiven('-i'),
    );
}

export function addRunCommand(program: Command, act: Act): void {
  const run = program
    .command('run')
    .description('Start a workflow, on a server or, where none is, on this machine.');
  const workflow = addEndOptions(addViewOptions(withLocalOptions(withConnection(run)))).argument(
    '[file]',
    'workflow, in YAML or JSON; - is standard input',
  );
  withValues(workflow)
    .option('-f, --file <name=path>', 'resource file; may be repeated', addFile('-f'))
    .option('--namespace <name>', 'namespace of the run')
    .option('--wait', 'follow the run to its end: exit code 0 when it is done, 1 when it failed')
    .option('--no-hints', 'with --wait: do not say what can be done next')
    .option(
      '--jobs <list>',
      'run only these jobs and what they need, separated by commas',
      addNames('--jobs'),
    )
    .option(
      '--runs-on <list>',
      'tags that all jobs ask for beside their own, separated by commas; an operating system takes the place of theirs',
      addNames('--runs-on'),
    )
    .option('--code-version <text>', 'version that the run tests, in place of that of git')
    .option('--branch <name>', 'branch that the run tests, in place of that of git')
    .option(
      '--from-failed <id>',
      'instead of a file: run what failed or did not run of this workflow',
    )
    .option('--dry-run', 'check the workflow without starting it')
    .option('--strict', STRICT)
    .addHelpText('after', RUN_EXAMPLES)
    .action(async (file: string | undefined, options: RunOptions, command: Command) => {
      if (file === undefined && options.fromFailed === undefined) {
        command.error("error: missing required argument 'file'");
      }
      const { runWorkflow } = await import('../commands/run.ts');
      await act((io) => runWorkflow(file ?? null, options, io));
    });
}

const RUN_EXAMPLES = `
Examples:
  tutti run nightly.yaml -e STAGE=qa --wait
  tutti run nightly.yaml -e stages/qa.env -i browser=firefox
  tutti run nightly.yaml --jobs unit-tests,lint
  tutti run --from-failed 0198 --wait`;

export const STRICT = 'treat warnings as errors';
