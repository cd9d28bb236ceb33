/** `GET /schemas/workflow.json`: the schema of workflows, for editors. */
import type { Routes } from './routes.ts';

export interface SchemaRoutesOptions {
  readonly apiGroup: string;
  readonly insecureDocs: boolean;
}

const WORKFLOW = { summary: 'The schema of workflows, for editors', tags: ['common'] } as const;

/** An editor sends no token; the schema tells nothing of this installation but its api group. */
export function schemaRoutes({ apiGroup, insecureDocs }: SchemaRoutesOptions): Routes {
  let text: Promise<string> | null = null;
  return (app) => {
    const config = insecureDocs ? ({ access: 'none' } as const) : {};
    app.get('/schemas/workflow.json', { config, schema: WORKFLOW }, async (_request, reply) => {
      text ??= workflowSchema(apiGroup);
      return reply.type('application/schema+json; charset=utf-8').send(await text);
    });
  };
}

/** Asked for rarely, and made then: the words of all keys need not be in memory before. */
async function workflowSchema(apiGroup: string): Promise<string> {
  const { publishedWorkflowSchema } = await import('@tutti/manifests/reference');
  return `${JSON.stringify(publishedWorkflowSchema(apiGroup), null, 2)}\n`;
}
