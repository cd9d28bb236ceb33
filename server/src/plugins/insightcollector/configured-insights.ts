/** The insights of the configured files: those that are made at the end of each run. */
import { OrchestratorError } from '@tutti/manifests';
import { type DefinitionFiles, loadDefinitionFiles } from '../../http/definition-files.ts';
import type { DefinitionKind } from '../../http/definition-sources.ts';
import type { SourceDocument } from '../../http/documents.ts';
import type { Logger } from '../../runtime/logger.ts';
import { type InsightDefinition, insightsOf, remarksOn } from './insight-document.ts';
import { COLLECTOR_LIMITS } from './limits.ts';

const INSIGHTS: DefinitionKind<InsightDefinition> = {
  name: 'insights',
  parse: insightsOf,
  remarks: (document) => remarksOn(document),
  check: (insights) => {
    const { size } = new Set(insights.map(({ name }) => name));
    if (size <= COLLECTOR_LIMITS.insightsPerRequest) return;
    throw new OrchestratorError(
      'Invalid',
      `There may be ${COLLECTOR_LIMITS.insightsPerRequest} insights at the end of each run, not ${size}.`,
    );
  },
  warnings: (insights) => {
    const names = insights.map(({ name }) => name);
    const duplicates = names.filter((name, index) => names.indexOf(name) !== index);
    return [...new Set(duplicates)].map(
      (name) => `Duplicate definitions found for insight "${name}", the last one is used.`,
    );
  },
  limits: COLLECTOR_LIMITS,
};

/** Checks insights of the configuration. Throws `Invalid` with all problems. */
export function checkInsights(document: SourceDocument): void {
  INSIGHTS.check?.(INSIGHTS.parse(document));
}

export interface ConfiguredInsights {
  /** False when none are configured: then nothing is made that nobody asks for. */
  readonly isConfigured: boolean;
  all(): Promise<readonly InsightDefinition[]>;
}

/** Loads a file of insights. Throws `Invalid` with the file and all of its problems. */
export async function loadConfiguredInsights(
  paths: readonly string[],
  logger: Logger,
): Promise<ConfiguredInsights> {
  const files: DefinitionFiles<InsightDefinition> = await loadDefinitionFiles(
    INSIGHTS,
    paths,
    logger,
  );
  return {
    isConfigured: files.isConfigured,
    all: async () => lastOfEachName(await files.all()),
  };
}

/** Over all files; within one document the first of a name counts. */
function lastOfEachName(insights: readonly InsightDefinition[]): readonly InsightDefinition[] {
  return [...new Map(insights.map((insight) => [insight.name, insight])).values()];
}
