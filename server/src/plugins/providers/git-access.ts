/** Gives git on an environment access to a repository. Credentials never stand in command lines, logs, or files that stay there. */
import {
  type ChannelOs,
  OrchestratorError,
  type RepositoryResource,
  type Variables,
} from '@tutti/manifests';
import { repositoryUrl } from './repository-url.ts';

export interface GitAccess {
  /** Without credentials, if it is an address of the web. */
  readonly url: string;
  /** Words for `git`, before the name of the command. */
  readonly options: readonly string[];
  /** For the step that calls git. */
  readonly variables: Variables;
}

/** An environment has nobody to ask for a password. Without this, git would wait for one until the step times out. */
const NO_PROMPT: Variables = { GIT_TERMINAL_PROMPT: '0' };

/** `given`: an address, or a whole resource. Throws `Invalid` for anything else. */
export function gitAccess(
  os: ChannelOs,
  given: unknown,
  resources: readonly RepositoryResource[],
): GitAccess {
  const address = repositoryUrl(given, resources);
  const url = webAddress(address);
  if (url === null || (url.username === '' && url.password === '')) {
    return { url: address, options: [], variables: NO_PROMPT };
  }
  const user = decoded(url.username);
  const password = decoded(url.password);
  url.username = '';
  url.password = '';
  return {
    url: url.href,
    options: helperOptions(os, url),
    variables: {
      ...NO_PROMPT,
      TUTTI_GIT_USER: { value: user, verbatim: true },
      TUTTI_GIT_PASSWORD: { value: password, verbatim: true },
    },
  };
}

function webAddress(address: string): URL | null {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return null;
  return new URL(address);
}

function decoded(text: string): string {
  const plain = attemptDecode(text);
  // A control character would begin a new line in the answer to git.
  if (!/\p{Cc}/u.test(plain)) return plain;
  throw new OrchestratorError(
    'Invalid',
    'The credentials of the repository have a control character.',
  );
}

function attemptDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Git asks this helper, for this host alone, also for submodules. Other helpers are left out: some would keep the credentials. */
function helperOptions(os: ChannelOs, { origin }: URL): readonly string[] {
  // Verbatim variables have carets on Windows.
  const plain = os === 'windows' ? " | sed 's/\\^\\(.\\)/\\1/g'" : '';
  const say = `printf 'username=%s\\npassword=%s\\n' "$TUTTI_GIT_USER" "$TUTTI_GIT_PASSWORD"${plain}`;
  const helper = `!f() { if test "$1" = get; then ${say}; fi; }; f`;
  return ['-c', 'credential.helper=', '-c', `credential.${origin}.helper=${helper}`];
}
