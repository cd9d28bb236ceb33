/** The insights that a request wants, out of the definition that it brings. */
import { createNamePattern } from '@tutti/selectors';
import { readDefinition } from '../../http/posted-definition.ts';
import { insightsOf, remarksOn } from './insight-document.ts';
import type { InsightsInput, WantedInsights } from './insight-tasks.ts';

export function wantedInsights({ source, pattern }: InsightsInput): WantedInsights {
  const isWanted = createNamePattern(pattern);
  const document = readDefinition(source);
  const wanted = insightsOf(document).filter(({ name }) => isWanted(name));
  return { wanted, warnings: remarksOn(document, isWanted) };
}
