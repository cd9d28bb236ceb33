/** The insights that a request wants, out of the definition that it brings. */
import { createNamePattern } from '@tutti/selectors';
import { type DefinitionSource, readDefinition } from '../../http/posted-definition.ts';
import { type InsightDefinition, insightsOf, remarksOn } from './insight-document.ts';

export interface InsightsInput {
  readonly source: DefinitionSource;
  /** Chooses insights: a name, or a pattern of names. */
  readonly pattern: string;
}

export interface WantedInsights {
  readonly wanted: readonly InsightDefinition[];
  /** Warnings about valid entries that cannot be meant, as sentences. */
  readonly warnings: readonly string[];
}

export function wantedInsights({ source, pattern }: InsightsInput): WantedInsights {
  const isWanted = createNamePattern(pattern);
  const document = readDefinition(source);
  const wanted = insightsOf(document).filter(({ name }) => isWanted(name));
  return { wanted, warnings: remarksOn(document, isWanted) };
}
