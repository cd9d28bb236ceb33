/** The configuration of existing clients: each context becomes a file with the variables that our commands read. */
import { serviceAddress } from '@tutti/client/service-addresses';
import { didYouMean } from '@tutti/manifests/documents';
import { booleanOf, entriesOf } from '@tutti/manifests/values';
import { MEND, type Place } from './place.ts';

/** Advice for contexts: our commands can read the file of existing clients as it is. */
const KEEP = 'keep the contexts as they are: "tutti config import"';
const INSECURE = 'insecure-skip-tls-verify';
const OF_ORCHESTRATOR = `
warmup-delay polling-delay | Commands ask as often as the server has something new.
max-retry | "tutti run --wait" outlives restarts of the server.`;
const OF_SERVICE = 'force-base-url | Links lead to where the client came from.';
const OF_USER = `job-depth step-depth max-command-length output-prefix colors verbose show-notifications | A file of variables has no such default. | ${KEEP}`;

/** Returns the orchestrator of the current context, in a list that may be empty. */
export function importClient(root: Place): readonly Place[] {
  root.reportKeys('apiVersion kind metadata current-context contexts orchestrators users');
  const contexts = root.at('contexts').named('context');
  const orchestrators = root.at('orchestrators').named('orchestrator');
  const users = root.at('users').named('user');
  const current = root.at('current-context');
  const names = contexts.map(({ name }) => name);
  if (current.text !== '' && !names.includes(current.text)) {
    const meant = didYouMean(current.text, names) || '.';
    current.report`There is no context "${current.text}"${meant} | use the file of another one`;
  }
  const made = contexts.map((context) => importContext(context, orchestrators, users));
  for (const orchestrator of orchestrators) reportOrchestrator(orchestrator);
  for (const user of users) user.reportKeys('token', OF_USER);
  for (const [part, all] of Object.entries({ orchestrator: orchestrators, user: users })) {
    const used = contexts.map((context) => context.at(part).value);
    for (const each of all) if (!used.includes(each.name)) each.report`No context names it.`;
  }
  return made[names.indexOf(current.text)] ?? [];
}

type Places = readonly Place[];

/** Writes the variables of the context to a file. Returns its orchestrator, in a list that may be empty. */
function importContext(context: Place, orchestrators: Places, users: Places): Places {
  context.reportKeys('orchestrator user namespace');
  const orchestrator = partOf(context.at('orchestrator'), orchestrators);
  const user = partOf(context.at('user'), users);
  const namespace = context.at('namespace');
  if (namespace.text !== '') {
    namespace.report`A file of variables has no namespace. | ${KEEP}, or name it when a run is started: "tutti run FILE --namespace ${namespace.text}"`;
  }
  if (orchestrator === undefined) return [];
  // Clients start workflows at the receptionist's address, which has the whole interface.
  const address = serviceAddress(entriesOf(orchestrator.value), 'receptionist');
  if (address === null) {
    return context.report`Its server has no address. | name the server with --server or TUTTI_SERVER`;
  }
  const token = user?.at('token');
  const isUsable = /^[\x21-\x7e]+$/.test(token?.text ?? '');
  const line = (name: string, value = '') => `${name}='${value.replaceAll("'", "'\\''")}'\n`;
  const text = `${line('TUTTI_SERVER', address)}${isUsable ? line('TUTTI_TOKEN', token?.text) : ''}`;
  const { path } = context.plan.addFile(`clients/${context.name}.env`, text, true);
  if (isUsable) token?.carried(path);
  else if (token)
    token.report`${whyNoToken(token.value)} | name one with --token-file or TUTTI_TOKEN`;
  context.carried(path);
  return [orchestrator];
}

/** The reason why a value is no token. It never quotes the value. */
function whyNoToken(value: unknown): string {
  if ((value ?? '') === '') return 'There is no token.';
  return typeof value === 'string'
    ? 'It is no token: it has blanks, line breaks or signs that no token has.'
    : 'It is no token, as it is no text.';
}

/** The orchestrator or the user that a context names. */
function partOf(place: Place, all: Places): Place | undefined {
  const { name: part, text: name } = place;
  const names = all.map((each) => each.name);
  const found = all[names.indexOf(name)];
  if (found !== undefined) return found;
  if (name === '') place.report`It names no ${part}. | ${MEND}`;
  else place.report`There is no ${part} "${name}"${didYouMean(name, names) || '.'} | ${MEND}`;
  return undefined;
}

function reportOrchestrator(orchestrator: Place): void {
  orchestrator.reportKeys(`server services ports ${INSECURE}`, OF_ORCHESTRATOR);
  const insecure = orchestrator.at(INSECURE);
  if (booleanOf(insecure.value) === true) {
    insecure.report`Certificates are checked unless somebody says otherwise. | name the authority of this one: TUTTI_CA_FILE=FILE, or ${KEEP}`;
  }
  orchestrator.at('ports').map();
  orchestrator.at('services').map();
  for (const service of orchestrator.at('services').children) {
    service.map();
    service.reportKeys('port prefix', OF_SERVICE);
  }
}
