/** Tags that all jobs of a workflow ask for beside their own, as existing clients add them (clients facts 3.1). */
import { portableYaml, readYaml } from '@tutti/manifests/documents';
import { UsageError } from '../terminal/problem.ts';

const TAG = /^[a-zA-Z][a-zA-Z0-9-]*$/;
const SYSTEMS: readonly string[] = ['linux', 'windows', 'macos'];

/** Throws `UsageError` for tags that no environment can have. */
export function checkAddedTags(tags: readonly string[]): void {
  const wrong = tags.find((tag) => !TAG.test(tag));
  if (wrong !== undefined) {
    throw new UsageError(
      `--runs-on takes tags, and "${wrong}" is none: they begin with a letter, and have letters, digits and hyphens.`,
    );
  }
  const systems = tags.filter((tag) => SYSTEMS.includes(tag));
  if (systems.length > 1) {
    throw new UsageError(
      `--runs-on names several operating systems, and an environment has one: ${systems.join(', ')}.`,
      'leave all but one of them out.',
    );
  }
}

/**
 * Adds the tags to each job of a manifest. An operating system replaces the one that the job asks for. A document that is not a
 * workflow stays unchanged: the server reports what is wrong with it.
 */
export async function withAddedTags(
  manifestText: string,
  tags: readonly string[],
): Promise<string> {
  const yaml = await import('yaml');
  const reading = readYaml(yaml, manifestText);
  if (!reading.ok || !isRecord(reading.document.value)) return manifestText;
  const { value } = reading.document;
  if (!isRecord(value.jobs)) return manifestText;
  const jobs = Object.entries(value.jobs).map(([name, job]) => [name, jobWith(job, tags)]);
  return portableYaml(yaml, { ...value, jobs: Object.fromEntries(jobs) });
}

function jobWith(job: unknown, tags: readonly string[]): unknown {
  if (!isRecord(job)) return job;
  const hasSystem = tags.some((tag) => SYSTEMS.includes(tag));
  const own: readonly unknown[] = [job['runs-on'] ?? []].flat();
  const kept = own.filter((tag) => !(hasSystem && SYSTEMS.some((system) => system === tag)));
  return { ...job, 'runs-on': [...new Set([...kept, ...tags])] };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
