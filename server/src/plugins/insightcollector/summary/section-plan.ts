/** Makes the collector of a section from its definition. */
import { evaluateCondition } from '@tutti/expressions';
import { isOrchestratorError, type SectionDefinition } from '@tutti/manifests';
import { insightScope, parseTestScope, type Run, type TestScope } from '@tutti/workflow';
import { collectBars, collectProgress, collectScatter } from './charts.ts';
import type { Collector, Room } from './collector.ts';
import { collectCloud, collectSummary } from './overview.ts';
import { collectTable } from './table.ts';

export type Datasource = NonNullable<SectionDefinition['datasource']>;

/** `problem` is why a section cannot be made, once that is known. */
export interface PlannedSection {
  readonly definition: SectionDefinition;
  readonly datasource: Datasource;
  readonly scope: TestScope | null;
  readonly collector: Collector;
  problem: string | null;
}

/** Null for a section whose condition does not hold. The definition was checked before. */
export function planSection(
  definition: SectionDefinition,
  run: Run,
  room: Room,
): PlannedSection | null {
  const problem = attempt(() => {
    const { if: condition = 'always()' } = definition;
    return evaluateCondition(condition, insightScope(run));
  });
  if (problem.value === false) return null;
  return {
    definition,
    datasource: datasourceOf(definition),
    scope: parseTestScope(definition.scope ?? null),
    collector: collectorOf(definition, room),
    problem:
      problem.message === null ? null : `The condition cannot be evaluated: ${problem.message}`,
  };
}

function attempt<Value>(action: () => Value) {
  try {
    return { value: action(), message: null };
  } catch (error) {
    if (isOrchestratorError(error)) return { value: null, message: error.message };
    throw error;
  }
}

/** A summary counts test cases, whatever it names. */
function datasourceOf({ kind, datasource = 'testcases' }: SectionDefinition): Datasource {
  return kind === 'SummaryBlock' ? 'testcases' : datasource;
}

function collectorOf(definition: SectionDefinition, room: Room): Collector {
  switch (definition.kind) {
    case 'SummaryBlock':
      return collectSummary();
    case 'Cloud':
      return collectCloud(definition);
    case 'Table':
      return collectTable(definition, room);
    case 'ProgressBar':
      return collectProgress(definition);
    case 'BarChart':
      return collectBars(definition);
    case 'ScatterChart':
      return collectScatter(definition);
  }
}
