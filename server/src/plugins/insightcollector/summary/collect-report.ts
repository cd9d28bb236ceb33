/** Makes the content of a report from a run and a definition. */
import { evaluateCondition } from '@tutti/expressions';
import {
  isOrchestratorError,
  type JobId,
  REPORT_FOLDER_TYPE,
  type SectionDefinition,
  type Timestamp,
  workflowNotFound,
} from '@tutti/manifests';
import {
  addOutcome,
  insightScope,
  type JobManifest,
  NO_TESTS,
  parseTestScope,
  type Run,
  type TestCaseManifest,
  type TestCounts,
  type TestScope,
  tagManifests,
  type WrittenScope,
  withTestCounts,
} from '@tutti/workflow';
import type { Store, StoredTestCase } from '../../../store/store.ts';
import { reportNotices } from '../report-notices.ts';
import { presented, testCasePages } from '../test-case-pages.ts';
import type { Room } from './collector.ts';
import { DEFAULT_TEMPLATE } from './default-template.ts';
import type { NamedSection } from './section-model.ts';
import { type PlannedSection, planSection } from './section-plan.ts';
import { SUMMARY_LIMITS } from './summary-limits.ts';

export interface SummaryOptions {
  /** Null for the name of the workflow. */
  readonly title: string | null;
  readonly scope: WrittenScope;
  readonly style: string;
  readonly scripts: string;
  /** Null for the sections of our own. */
  readonly template: readonly SectionDefinition[] | null;
}

export type RunState = 'success' | 'failure' | 'cancelled' | 'running';

export interface ReportModel {
  readonly title: string;
  readonly workflow: {
    readonly id: string;
    readonly name: string;
    readonly namespace: string;
    readonly state: RunState;
    readonly createdAt: Timestamp;
    readonly completedAt: Timestamp | null;
    /** A tool made a report with files of its own, which a command opens. */
    readonly canBeOpened: boolean;
  };
  readonly generatedAt: Timestamp;
  /** Sentences on why test cases may be missing, whatever the scope is. */
  readonly warnings: readonly string[];
  readonly sections: readonly NamedSection[];
}

export interface ReportSource {
  readonly store: ReportStore;
  readonly run: Run;
  readonly generatedAt: Timestamp;
}

export type ReportStore = Pick<Store, 'workflow' | 'testCases' | 'jobs' | 'brokenReports'>;

/**
 * Reads all test cases once. A section that cannot be made says why in its place. Throws `Invalid` when the scope of the whole report is
 * wrong, and `NotFound` when the run is forgotten meanwhile.
 */
export async function collectReport(
  { store, run, generatedAt }: ReportSource,
  options: SummaryOptions,
): Promise<ReportModel> {
  const row = await store.workflow(run.workflowId);
  if (row === null) throw workflowNotFound(run.workflowId);
  const room: Room = { left: SUMMARY_LIMITS.textLength };
  const sections = (options.template ?? DEFAULT_TEMPLATE)
    .map((definition) => planSection(definition, run, room))
    .filter((section) => section !== null);
  await feed({ store, run }, sections, parseTestScope(options.scope));
  return {
    title: options.title ?? run.name,
    workflow: {
      id: run.workflowId,
      name: run.name,
      namespace: run.namespace,
      state: stateOf(run),
      createdAt: row.createdAt,
      completedAt: row.completedAt,
      canBeOpened: hasFolder(run),
    },
    generatedAt,
    warnings: await reportNotices(store, run),
    sections: sections.flatMap(shownSection),
  };
}

const hasFolder = ({ jobs }: Run): boolean =>
  [...jobs.values()].some(({ attachments }) =>
    [...attachments.values()].some(({ type }) => type === REPORT_FOLDER_TYPE),
  );

function stateOf(run: Run): RunState {
  if (run.phase !== 'DONE' && run.phase !== 'FAILED') return 'running';
  const scope = insightScope(run);
  if (evaluateCondition('cancelled()', scope)) return 'cancelled';
  return evaluateCondition('failure()', scope) ? 'failure' : 'success';
}

/** The counts of jobs and tags are those of the scope of their section. */
class Tally {
  readonly #counts = new Map<JobId, TestCounts>();

  add({ jobId, outcome }: Pick<StoredTestCase, 'jobId' | 'outcome'>): void {
    this.#counts.set(jobId, addOutcome(this.#counts.get(jobId) ?? NO_TESTS, outcome, 1));
  }

  items(jobs: readonly JobManifest[], datasource: PlannedSection['datasource']): readonly object[] {
    if (datasource === 'tags') return tagManifests(jobs, this.#counts);
    return jobs.map((job) => withTestCounts(job, this.#counts.get(job.metadata.id) ?? NO_TESTS));
  }
}

async function feed(
  { store, run }: Omit<ReportSource, 'generatedAt'>,
  sections: readonly PlannedSection[],
  scope: TestScope | null,
): Promise<void> {
  const tallies = new Map(sections.map((section) => [section, new Tally()]));
  for await (const page of testCasePages(store, run.workflowId)) {
    for (const stored of page) {
      const testCase = presented(stored);
      if (scope?.(testCase) === false) continue;
      for (const [section, tally] of tallies) {
        if (!isInScope(section, testCase)) continue;
        if (section.datasource === 'testcases') section.collector.add(testCase);
        else tally.add(stored);
      }
    }
  }
  const rows = await store.jobs(run.workflowId);
  const jobs = rows.map(({ json }): JobManifest => JSON.parse(json));
  for (const [{ datasource, collector }, tally] of tallies) {
    if (datasource === 'testcases') continue;
    for (const item of tally.items(jobs, datasource)) collector.add(item);
  }
}

/** A scope that fails on a test case is the problem of its section. */
function isInScope(section: PlannedSection, testCase: TestCaseManifest): boolean {
  if (section.problem !== null) return false;
  try {
    return section.scope?.(testCase) !== false;
  } catch (error) {
    if (!isOrchestratorError(error)) throw error;
    section.problem = error.message;
    return false;
  }
}

function shownSection({ definition, collector, problem }: PlannedSection): readonly NamedSection[] {
  const { name, skipIfNotFound = false } = definition;
  if (problem !== null) return [{ name, model: { kind: 'Note', text: problem } }];
  const model = collector.model();
  if (model !== null) return [{ name, model }];
  return skipIfNotFound
    ? []
    : [{ name, model: { kind: 'Note', text: 'There is nothing to show.' } }];
}
