/** Which address a checkout uses: that of the resource where the workflow has one for the repository (wire facts 1.9). */
import { OrchestratorError, type RepositoryResource } from '@tutti/manifests';

/** `given`: an address, or a whole resource. Throws `Invalid` for anything else. */
export function repositoryUrl(given: unknown, resources: readonly RepositoryResource[]): string {
  if (typeof given === 'string') return withCredentials(given, resources);
  if (isResource(given)) return urlOf(given);
  throw new OrchestratorError(
    'Invalid',
    'Input "repository": expected an address, or a repository of the resources.',
  );
}

function isResource(value: unknown): value is Pick<RepositoryResource, 'endpoint' | 'repository'> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'endpoint' in value &&
    typeof value.endpoint === 'string' &&
    'repository' in value &&
    typeof value.repository === 'string'
  );
}

function urlOf({ endpoint, repository }: Pick<RepositoryResource, 'endpoint' | 'repository'>) {
  return `${endpoint.replace(/(?<!\/)\/+$/, '')}/${repository.replace(/^\/+/, '')}`;
}

/** The path stays as the step has it, the credentials are those of the resource, whatever the step says. */
function withCredentials(given: string, resources: readonly RepositoryResource[]): string {
  const wanted = identityOf(given);
  const resource = resources.find((each) => wanted !== null && identityOf(urlOf(each)) === wanted);
  if (resource === undefined) return given;
  const url = new URL(given);
  const { username, password } = new URL(urlOf(resource));
  url.username = username;
  url.password = password;
  return url.href;
}

/** Identity of a repository; null for an address that is not of the web, such as a path. */
function identityOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, host, pathname } = new URL(address);
  if (protocol !== 'https:' && protocol !== 'http:') return null;
  return `${protocol}//${host}${pathname.replace(/(?<!\/)\/+$/, '').replace(/\.git$/, '')}`;
}
