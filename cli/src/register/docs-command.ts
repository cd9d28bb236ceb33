/** `tutti docs`. */
import type { Command } from 'commander';
import type { Act } from './act.ts';

export function addDocsCommand(program: Command, act: Act): void {
  program
    .command('docs')
    .description('Print a page of the documentation, or the names of all pages.')
    .argument('[page]', 'name of the page, perhaps with # and a section; all names if absent')
    .addHelpText(
      'after',
      `
It needs no server and no network. Each server has the same pages under /docs/, for browsers.

Examples:
  tutti docs
  tutti docs guides/init
  tutti docs reference/language#step`,
    )
    .action(async (page: string | undefined) => {
      const { printDocs } = await import('../commands/docs.ts');
      await act((io) => printDocs(page, io));
    });
}
