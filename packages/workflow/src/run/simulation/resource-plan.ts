/** Resources of a simulated workflow: files, a repository and a test manager. Their addresses read contexts of the whole run. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: expressions are written so.
import type { WorkflowManifest } from '@tutti/manifests';
import { calledFilesOf, filesOf } from './call-plan.ts';
import { type BundlePlan, VARIABLE, type WorkflowPlan } from './plan.ts';

type Resources = NonNullable<WorkflowManifest['resources']>;

/** The name of the repository among the resources. */
export const SHOP = 'shop';

const BROKEN_ADDRESS = 'https://example.org/${{ nowhere.to.be.found }}';
const FETCHED_BY = 'https://reader:of-files@example.org';

/** The resources of the manifest; called files are always named. */
export function resourcesOf(plan: WorkflowPlan): Pick<WorkflowManifest, 'resources'> {
  const { resources, input } = plan;
  const files = Object.keys(filesOf(plan));
  if (resources === null) return files.length === 0 ? {} : { resources: { files } };
  const [fetched, ...others] = resources.files;
  const user = input === null ? '' : '-${{ inputs.i }}';
  const token = input === null ? 'token' : '${{ secrets.s }}';
  const address = (text: string) => (resources.isBroken ? BROKEN_ADDRESS : text);
  return {
    resources: {
      files: [
        ...Object.keys(filesOf({ ...plan, resources: null })),
        ...(fetched === undefined ? [] : [{ name: fetched, url: `${FETCHED_BY}/${fetched}` }]),
        ...others,
      ],
      ...addressed(
        address(`https://reader:\${{ variables.${VARIABLE} }}${user}@example.org`),
        address(`https://${token}@example.org`),
      ),
    },
  };
}

function addressed(shop: string, tm: string): Required<Omit<Resources, 'files'>> {
  return {
    repositories: [{ name: SHOP, type: 'git', repository: 'team/shop', endpoint: shop }],
    testmanagers: [{ name: 'tm', type: 'any', testmanager: 'shop', endpoint: tm }],
  };
}

const RESOURCE_WORDS = [
  '${{ toJSON(resources.files) }}',
  '${{ resources.repositories.shop.endpoint }}',
];

/** Words about resources that every step of a job prints. */
export const wordsOfResources = ({ resources }: WorkflowPlan): readonly string[] =>
  resources === null ? [] : RESOURCE_WORDS;

/** The repository that a step with `uses` gets. */
export const REPOSITORY_GIVEN = '${{ resources.repositories.shop }}';

/** Expected resources, at every place; null without resources, or where an address cannot be evaluated. */
export function expectedResources(plan: WorkflowPlan): Required<Omit<Resources, 'files'>> | null {
  const { resources, variable, input } = plan;
  if (resources === null || resources.isBroken) return null;
  const user = input === null ? '' : `-${input}`;
  const token = input === null ? 'token' : `secret-${input}`;
  return addressed(`https://reader:${variable}${user}@example.org`, `https://${token}@example.org`);
}

/** Passwords and tokens in the addresses. */
export function credentialsOf(plan: WorkflowPlan): readonly string[] {
  const { resources, variable, input } = plan;
  if (resources === null) return [];
  const ofFiles = resources.files.length === 0 ? [] : ['of-files'];
  if (resources.isBroken) return ofFiles;
  return input === null
    ? [...ofFiles, variable, 'token']
    : [...ofFiles, `${variable}-${input}`, `secret-${input}`];
}

/** Words of a step about resources where these files are known. */
export function saidOfResources(plan: WorkflowPlan, files: readonly string[]): readonly string[] {
  const resources = expectedResources(plan);
  if (resources === null) return [];
  const [shop] = resources.repositories;
  return [JSON.stringify(namesOf(files)), shop?.endpoint ?? ''];
}

export const namesOf = (files: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(files.map((name) => [name, name]));

/** The files that jobs of the workflow itself see. */
export const filesSeenIn = (plan: WorkflowPlan): readonly string[] => Object.keys(filesOf(plan));

/** The files that the jobs of a called workflow see: its own. */
export const filesSeenInCall = ({ jobs, called }: BundlePlan): readonly string[] => [
  ...calledFilesOf(jobs),
  ...called.files,
];
