/** Whether programs of the machine may do without a token: only where that opens nothing that was closed. */

import { booleanOf, textOf } from '@tutti/manifests/values';
import { configSchema, isLoopback, SERVICE_NAMES } from '@tutti/server';
import type { ImportPlan } from './import-plan.ts';
import type { Setting, Settings } from './settings.ts';

const ADVICE =
  'make tokens: "tutti tokens create --subject NAME"; commands on this machine find that of the administrator';

/** To be asked when the address of the server is known. */
export function importInsecureLogin(settings: Settings, plan: ImportPlan): void {
  const addresses = settings.named('insecure_bind_address');
  for (const setting of addresses) {
    plan.unneeded(setting, 'Only programs of the machine itself may ever do without a token.');
  }
  const isOpen = ({ value }: Setting) => booleanOf(value) === true;
  const logins = settings.named('enable_insecure_login');
  const why = objection(settings, logins.filter(isOpen), addresses, plan);
  for (const setting of logins) {
    if (!isOpen(setting)) plan.unneeded(setting, 'There is no access without a token.');
    else if (why === null) plan.carry(setting, 'auth.insecureLogin', true);
    else plan.leftOut(setting, why, ADVICE);
  }
}

/** Null where the same requests as before would need no token. */
function objection(
  settings: Settings,
  open: readonly Setting[],
  addresses: readonly Setting[],
  plan: ImportPlan,
): string | null {
  const isForAll = open.some(({ service }) => service === null);
  const others = SERVICE_NAMES.filter(
    (name) => settings.has(name) && open.every(({ service }) => service !== name),
  );
  if (!isForAll && others.length > 0) {
    return `Tokens are wanted by ${others.join(', ')}, and here that would be open, too.`;
  }
  if (addresses.some(({ value }) => textOf(value) !== '127.0.0.1')) {
    return 'It was for programs of another machine, and only those of this one may do without a token.';
  }
  const host = String(plan.valueOf('host') ?? configSchema.properties.host.default);
  return isLoopback(host) ? null : 'Other machines reach the address that the server listens on.';
}
