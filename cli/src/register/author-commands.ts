/** Commands for authors of workflows, which need no server. */
import { type Command, Option } from 'commander';
import type { InitOptions } from '../commands/init.ts';
import type { PlanFormat, PlanOptions } from '../commands/plan.ts';
import type { SchemaOptions } from '../commands/schema.ts';
import type { ValidateFormat, ValidateOptions } from '../commands/validate.ts';
import { withConnection } from '../options/connection-options.ts';
import type { Act } from './act.ts';
import { STRICT, withValues } from './run-command.ts';

const API_GROUP = 'api group of the server, if it has its own (or TUTTI_API_GROUP)';

export function addAuthorCommands(program: Command, act: Act): void {
  addInitCommand(program, act);
  addSchemaCommand(program, act);
  const validate = program
    .command('validate')
    .description('Check workflows. A configured server says which functions it has.')
    .argument('<files...>', 'workflows, in YAML or JSON; - is standard input')
    .addOption(
      new Option('-o, --format <format>', 'how problems are shown')
        .choices(['human', 'json', 'github', 'sarif'] satisfies readonly ValidateFormat[])
        .default('human' satisfies ValidateFormat),
    )
    .option('--called', 'check workflows of a repository that others call, and nobody starts')
    .option('--strict', STRICT)
    .option('--api-group <name>', API_GROUP);
  withConnection(validate).action(async (files: readonly string[], options: ValidateOptions) => {
    const { validateWorkflows } = await import('../commands/validate.ts');
    await act((io) => validateWorkflows(files, options, io));
  });
  const plan = program
    .command('plan')
    .description(
      'Show what a workflow would run, and where. A configured server says which functions it has.',
    )
    .argument('<file>', 'workflow, in YAML or JSON; - is standard input');
  withValues(plan)
    .option('--namespace <name>', 'namespace of the run')
    .addOption(
      new Option('-o, --format <format>', 'how the plan is shown')
        .choices(['tree', 'mermaid', 'json'] satisfies readonly PlanFormat[])
        .default('tree' satisfies PlanFormat),
    )
    .option('--steps', 'show the steps of each job')
    .option('--strict', STRICT)
    .option('--api-group <name>', API_GROUP);
  withConnection(plan).action(async (file: string, options: PlanOptions) => {
    const { planOf } = await import('../commands/plan.ts');
    await act((io) => planOf(file, options, io));
  });
}

function addSchemaCommand(program: Command, act: Act): void {
  const schema = program
    .command('schema')
    .description('Print the schema by which editors complete and check workflows.')
    .option('--api-group <name>', API_GROUP)
    .addHelpText(
      'after',
      `
It has the functions of the configured server, or those of runs on this machine.

Examples:
  tutti schema > workflow.schema.json`,
    );
  withConnection(schema).action(async (options: SchemaOptions) => {
    const { printSchema } = await import('../commands/schema.ts');
    await act((io) => printSchema(options, io));
  });
}

function addInitCommand(program: Command, act: Act): void {
  program
    .command('init')
    .description('Write a workflow for the tests that a directory has.')
    .argument('[directory]', 'directory with the tests', '.')
    .option(
      '--output <file>',
      'where to write it, or - for standard output; workflow.yaml if absent',
    )
    .option('--force', 'replace a file that is there')
    .option(
      '--from <file>',
      'translate a workflow of GitHub Actions or a pipeline of GitLab, and list what has no equivalent',
    )
    .addHelpText(
      'after',
      `
Knows the tests of Vitest, Jest, Mocha, Playwright, Cypress, Cucumber-js, node:test and npm test,
Newman, Maven, Gradle, pytest, Robot Framework, Go, Cargo, .NET and PHPUnit, in the directory and in those below.

Examples:
  tutti init && tutti run workflow.yaml
  tutti init shop --output shop.yaml
  tutti init --from .github/workflows/ci.yml`,
    )
    .action(async (directory: string, options: InitOptions) => {
      const { initWorkflow } = await import('../commands/init.ts');
      await act((io) => initWorkflow(directory, options, io));
    });
}
