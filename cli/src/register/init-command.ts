/** The command that writes a first workflow. */
import type { Command } from 'commander';
import type { InitOptions } from '../commands/init.ts';
import type { Io } from '../terminal/io.ts';

type End = (action: Promise<number>) => Promise<void>;

export function addInitCommand(program: Command, end: End, io: Io): void {
  program
    .command('init')
    .description('Write a workflow for the tests that a directory has.')
    .argument('[directory]', 'directory with the tests', '.')
    .option(
      '--output <file>',
      'where to write it, or - for standard output; workflow.yaml if absent',
    )
    .option('--force', 'replace a file that is there')
    .addHelpText(
      'after',
      `
Knows the tests of Vitest, Jest, Mocha, Playwright, Cypress, node:test and npm test, Maven, Gradle,
pytest, Robot Framework, Go, Cargo, .NET and PHPUnit, in the directory or else in those in it.

Examples:
  tutti init && tutti run workflow.yaml
  tutti init shop --output shop.yaml`,
    )
    .action(async (directory: string, options: InitOptions) => {
      const { initWorkflow } = await import('../commands/init.ts');
      await end(initWorkflow(directory, options, io));
    });
}
