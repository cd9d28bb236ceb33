/** `tutti plan`: shows the jobs of a workflow and their environments. A configured server only says which functions it has. */
import { checkVariableNames } from '@tutti/manifests';
import type { WorkflowPlan } from '@tutti/workflow/plan';
import { strictly } from '../authoring/checked-file.ts';
import { restoreEditorSchema } from '../authoring/editor-schema.ts';
import { functionsFor } from '../authoring/known-functions.ts';
import { createReporter } from '../authoring/workflow-reporter.ts';
import type { ConnectionOptions } from '../connection/connection.ts';
import { type GivenLines, linesOf } from '../options/given-lines.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';
import type { Io } from '../terminal/io.ts';
import { readWorkflowText, STANDARD_INPUT } from '../terminal/workflow-source.ts';

export type PlanFormat = 'tree' | 'mermaid' | 'json';

export interface PlanOptions extends ConnectionOptions {
  readonly env?: GivenLines;
  readonly input?: GivenLines;
  readonly namespace?: string | undefined;
  readonly format: PlanFormat;
  readonly steps?: boolean;
  readonly apiGroup?: string | undefined;
  /** Warnings are errors. */
  readonly strict?: boolean;
}

/**
 * Prints the plan of a workflow, or its errors. Resolves with the exit code: 1 if there are errors, or if the planned run ends with one.
 */
export async function planOf(name: string, options: PlanOptions, io: Io): Promise<number> {
  const text = await readWorkflowText(name, io);
  await restoreEditorSchema(name, text);
  const functions = await functionsFor([text], options, io);
  const report = await createReporter(options.apiGroup, io.env, { functions });
  const checked = options.strict === true ? strictly(report(text)) : report(text);
  if (checked.diagnostics.length > 0 || checked.manifest === null) {
    const { humanFormat } = await import('../authoring/human-format.ts');
    const file = { name: name === STANDARD_INPUT ? 'stdin' : name, text, report: checked };
    io.complain(
      humanFormat([file], { paint: (_style, part) => part, columns: io.screen.columns() }),
    );
  }
  if (checked.manifest === null) return EXIT_CODES.failed;
  const { errorsOfPlan, planWorkflow } = await import('@tutti/workflow/plan');
  const { env, input, namespace } = options;
  const variables = await linesOf('-e', env);
  checkVariableNames(Object.keys(variables));
  const plan = planWorkflow(checked.manifest, {
    variables,
    inputs: await linesOf('-i', input),
    namespace,
  });
  io.screen.write(await formatted(plan, options, io));
  return errorsOfPlan(plan).length === 0 ? EXIT_CODES.done : EXIT_CODES.failed;
}

async function formatted(
  plan: WorkflowPlan,
  { format, steps = false }: PlanOptions,
  { screen }: Io,
): Promise<string> {
  switch (format) {
    case 'json':
      return `${JSON.stringify(plan, null, 2)}\n`;
    case 'mermaid':
      return (await import('../authoring/mermaid-format.ts')).mermaidFormat(plan);
    case 'tree': {
      const { treeFormat } = await import('../authoring/tree-format.ts');
      return treeFormat(plan, { paint: screen.paint, hasSteps: steps });
    }
  }
}
