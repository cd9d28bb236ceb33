/** Turns the manifest of a run back into a workflow file. */
import { asWritten, isOwnEntry } from '@tutti/manifests';
import { inputsIn } from '../facts/index.ts';
import { idLabel } from './step-label.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

export interface RunnableManifest {
  readonly manifest: JsonRecord;
  /** Names of resource files that have to be given again. */
  readonly files: readonly string[];
}

/** Metadata that servers add; entries of our own server have a prefix. */
const ADDED = new Set(['workflow_id', 'creationTimestamp']);

/** Removes the additions of the server. Variables are those of the run; its inputs become defaults. */
export function runnableManifest(received: JsonRecord): RunnableManifest {
  const {
    status: _status,
    apiVersion,
    kind,
    metadata,
    inputs,
    resources,
    jobs,
    ...rest
  } = asWritten(received);
  const { annotations, ...shown } = withoutOwn(recordOf(metadata));
  const kept = withoutOwn(recordOf(annotations));
  const manifest = {
    apiVersion,
    kind,
    metadata: { ...shown, ...(Object.keys(kept).length > 0 && { annotations: kept }) },
    ...(resources !== undefined && { resources }),
    ...(inputs !== undefined && { inputs: withDefaults(inputs, inputsIn(recordOf(annotations))) }),
    ...withoutOwn(rest),
    ...(jobs !== undefined && { jobs: withoutStepIds(jobs) }),
  };
  return { manifest, files: filesOf(resources) };
}

const withoutOwn = (entries: JsonRecord): JsonRecord =>
  Object.fromEntries(
    Object.entries(entries).filter(([name]) => !ADDED.has(name) && !isOwnEntry(name)),
  );

function withDefaults(declarations: unknown, values: unknown): unknown {
  if (!isRecord(declarations)) return declarations;
  const given = new Map(Object.entries(recordOf(values)));
  return Object.fromEntries(
    Object.entries(declarations).map(([name, declaration]) => {
      if (!given.has(name)) return [name, declaration];
      const { required: _required, ...others } = recordOf(declaration);
      return [name, { ...others, default: given.get(name) }];
    }),
  );
}

/** Steps without the ids that the server gave them, however deep they are. */
function withoutStepIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutStepIds);
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([name, entry]) => !isGivenId(name, entry, value));
  return Object.fromEntries(entries.map(([name, entry]) => [name, withoutStepIds(entry)]));
}

const isGivenId = (name: string, value: unknown, around: JsonRecord): boolean =>
  name === 'id' &&
  typeof value === 'string' &&
  idLabel(value) === '' &&
  ('run' in around || 'uses' in around);

function filesOf(resources: unknown): readonly string[] {
  const { files } = recordOf(resources);
  if (!Array.isArray(files)) return [];
  return files.flatMap((file) => {
    // A file with an address is fetched by the server.
    if (typeof file === 'string') return [file];
    const { name, url } = recordOf(file);
    return typeof name === 'string' && url === undefined ? [name] : [];
  });
}

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {});
