/** `GET /schemas/workflow.json` and `provider.json`: the schemas of what people write, for editors. */
import type { ListedFunction } from '@tutti/manifests/reference';
import type { DescribedOperation, Routes } from './routes.ts';

export interface SchemaRoutesOptions {
  readonly apiGroup: string;
  readonly insecureDocs: boolean;
  /** Functions whose names and inputs editors complete. */
  readonly functions: () => Promise<readonly ListedFunction[]>;
}

const TYPE = 'application/schema+json';
const SCHEMAS = {
  workflow: {
    summary: 'The schema of workflows, for editors',
    id: 'getWorkflowSchema',
    make: workflowSchema,
  },
  provider: {
    summary: 'The schema of providers, for editors',
    id: 'getProviderSchema',
    make: providerSchema,
  },
} as const;

/** An editor sends no token; the schemas reveal only the api group of this installation. */
export function schemaRoutes({ apiGroup, insecureDocs, functions }: SchemaRoutesOptions): Routes {
  return (app) => {
    const config = { ...(insecureDocs && { access: 'none' as const }), anywhere: true };
    for (const [name, { summary, id, make }] of Object.entries(SCHEMAS)) {
      let text: Promise<string> | null = null;
      const operation: DescribedOperation = ({ anything }) => {
        const content = { [TYPE]: { schema: anything } };
        return { id, answers: { OK: { description: 'JSON Schema, draft 7.', content } } };
      };
      const schema = { summary, tags: ['common'], operation };
      app.get(`/schemas/${name}.json`, { config, schema }, async (_request, reply) => {
        text ??= make(apiGroup, functions);
        return reply.type(`${TYPE}; charset=utf-8`).send(await text);
      });
    }
  };
}

/** Made on request, which is rare: its texts need no memory before. */
async function workflowSchema(
  apiGroup: string,
  functions: SchemaRoutesOptions['functions'],
): Promise<string> {
  const { publishedWorkflowSchema } = await import('@tutti/manifests/reference');
  return pretty(publishedWorkflowSchema(apiGroup, await functions()));
}

async function providerSchema(): Promise<string> {
  const { publishedProviderSchema } = await import('@tutti/manifests/reference');
  return pretty(publishedProviderSchema());
}

const pretty = (document: object): string => `${JSON.stringify(document, null, 2)}\n`;
